#include "gdr/cluster/cluster.h"

#include <gtest/gtest.h>

#include "gdr/base/data_file.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/cluster/communicator.h"
#include "gdr/cluster/nbody_ranks.h"
#include "scratch_directory.h"

namespace gdr::cluster {
namespace {

std::string text_of(const std::string& name) { return base::read_file(base::data_file("machines/" + name + ".toml")); }

std::string replaced(std::string text, const std::string& old, const std::string& with) {
  const std::size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return text.replace(at, old.size(), with);
}

/// What is said of the text as a cluster.
std::string refusal(const std::string& text) {
  try {
    static_cast<void>(base::parse_description_of_parts(text, "mine.toml", cluster_kind()));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Cluster, EveryDescriptionLoadsWithItsParts) {
  const std::vector<std::string> names = cluster_names();
  EXPECT_GE(names.size(), 3U);
  for (const std::string& name : names) {
    const Cluster cluster = load_cluster(name);
    EXPECT_EQ(cluster.name, name);
    EXPECT_EQ(cluster.board.name, "model1800");
    EXPECT_EQ(platform_for(cluster, 64).topology.nodes(), 64U);
  }
}

TEST(Cluster, WrongDescriptionsAreRefusedWithTheirPlace) {
  const std::string text = text_of("grape-dr-64");
  EXPECT_EQ(refusal(text), "");
  EXPECT_NE(refusal(replaced(text, "board = \"model1800\"\n", "")).find("'parts.board' is missing"), std::string::npos);
  EXPECT_NE(refusal(replaced(text, "host = ", "hosts = ")).find("unknown key 'parts.hosts'"), std::string::npos);
  EXPECT_NE(refusal(replaced(text, "[parts]\n", "[other]\n")).find("unknown key 'other'"), std::string::npos);
  EXPECT_NE(refusal(replaced(text, "boards_per_node  = { value = 1", "boards_per_node  = { value = 65"))
                .find("boards_per_node = 65 is refused"),
            std::string::npos);
}

TEST(Cluster, FilesOfPartsLieBesideTheFileThatNamesThem) {
  const tests::ScratchDirectory folder;
  const std::string text = text_of("grape-dr-64");
  base::write_file(folder.path() / "mine.toml", replaced(text, "\"infiniband-ddr-64\"", "\"net.toml\""));
  base::write_file(folder.path() / "net.toml",
                   replaced(text_of("infiniband-ddr-64"), "nodes      = { value = 64", "nodes = { value = 3"));
  const Cluster cluster = load_cluster((folder.path() / "mine.toml").string());
  EXPECT_EQ(platform_for(cluster, 3).topology.nodes(), 3U);
  EXPECT_THROW(static_cast<void>(platform_for(cluster, 4)), Error);
  EXPECT_EQ(platform_for(cluster, 100, true).topology.nodes(), 100U);
}

TEST(Cluster, RanksOfANodeShareItsBoardsAndWhatItsHostWrites) {
  const tests::ScratchDirectory folder;
  const auto with_ranks = [&](const std::string& boards, const std::string& ranks) {
    const std::string text = replaced(
        replaced(text_of("grape-dr-64"), "boards_per_node  = { value = 1", "boards_per_node = { value = " + boards),
        "ranks_per_node   = { value = 1", "ranks_per_node = { value = " + ranks);
    base::write_file(folder.path() / "mine.toml", text);
    return load_cluster((folder.path() / "mine.toml").string());
  };
  const Cluster cluster = with_ranks("4", "2");
  EXPECT_EQ(cluster.boards_per_rank(), 2U);
  EXPECT_EQ(cluster.nodes_of(5), 3U);
  EXPECT_DOUBLE_EQ(cluster.board_of_rank().host_write_2009_mb, cluster.board.host_write_2009_mb / 2);
  EXPECT_DOUBLE_EQ(cluster.power(2), 2 * (188 + 4 * 240 + 20));
  EXPECT_THROW(static_cast<void>(with_ranks("4", "3")), Error);
}

TEST(Communicator, OneProcessIsItsOnlyRank) {
  const std::unique_ptr<Communicator> communicator = single_process();
  EXPECT_EQ(communicator->size(), 1U);
  EXPECT_EQ(all_texts(*communicator, "mine"), std::vector<std::string>{"mine"});
  EXPECT_EQ(all_texts(*communicator, ""), std::vector<std::string>{""});
}

TEST(Split, RanksFormAGrid) {
  EXPECT_EQ(split_named("i", 6).rows, 6U);
  EXPECT_EQ(split_named("j", 6).columns, 6U);
  EXPECT_EQ(split_named("2d", 9).rows, 3U);
  EXPECT_EQ(split_named("2d", 9).columns, 3U);
  EXPECT_THROW(static_cast<void>(split_named("2d", 8)), Error);
  EXPECT_THROW(static_cast<void>(split_named("k", 4)), Error);
}

}  // namespace
}  // namespace gdr::cluster
