// Networks in files of other programs.
#include "gdr/interconnect/imported_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/interconnect/platform.h"
#include "gdr/interconnect/simgrid_file.h"
#include "gdr/interconnect/simulation.h"
#include "scratch_directory.h"

namespace gdr::interconnect {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class Call>
std::string told(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

constexpr std::string_view kFabric = R"(#
# Topology file: generated on Mon Jan  1 00:00:00 2024
vendid=0x2c9
switchguid=0x10(10)
Switch	36 "S-10"		# "MF0;leaf:SX6036/U1" enhanced port 0 lid 1 lmc 0
[1]	"H-20"[1](21) 		# "n0 HCA-1" lid 2 4xQDR
[2]	"H-30"[1](31) 		# "n1 HCA-1" lid 3 4xFDR10
[17]	"S-11"[1]		# "spine" lid 9 4xHDR
[18]	"S-11"[2]		# "spine" lid 9 4xHDR

switchguid=0x11(11)
Switch	36 "S-11"		# "spine" enhanced port 0 lid 9 lmc 0
[1]	"S-10"[17]		# "leaf" lid 1 4xHDR
[2]	"S-10"[18]		# "leaf" lid 1 4xHDR
[3]	"H-40"[2](41)		# "n0 HCA-2" lid 4 4xEDR

caguid=0x20
Ca	1 "H-20"		# "n0 HCA-1"
[1](21) 	"S-10"[1]		# lid 2 lmc 0 "leaf" lid 1 4xQDR

Ca	1 "H-30"		# "n1 HCA-1"
[1](31) 	"S-10"[2]		# lid 3 lmc 0 "leaf" lid 1 4xFDR10

Ca	2 "H-40"		# "n0 HCA-2"
[2](41) 	"S-11"[3]		# lid 4 lmc 0 "spine" lid 9 4xEDR
)";

TEST(ImportedNetwork, IbnetdiscoverGivesAdaptersSwitchesAndRates) {
  const ImportedNetwork found = parse_ibnetdiscover(kFabric, "fabric");
  EXPECT_THAT(found.hosts, ElementsAre("n0", "n1", "n0:1"));
  ASSERT_EQ(found.cables.size(), 5U);  // each once, parallel ones twice
  EXPECT_EQ(found.cables[0].bytes_per_second, 4e9);
  EXPECT_EQ(found.cables[1].bytes_per_second, 5e9);
  EXPECT_EQ(found.cables[2].bytes_per_second, 25e9);
  EXPECT_EQ(found.cables[4].bytes_per_second, 12.5e9);
  EXPECT_EQ(found.cables[2].from, "S-10");
  EXPECT_EQ(found.cables[2].to, "S-11");
  const auto refused = [](std::string_view text) {
    return told([&] { static_cast<void>(parse_ibnetdiscover(text, "fabric")); });
  };
  EXPECT_THAT(refused("hello\n"), HasSubstr("fabric:1: 'hello' is refused"));
  EXPECT_THAT(refused("[1] \"H-1\"[1]\n"), HasSubstr("fabric:1: a port is refused"));
  EXPECT_THAT(refused("Ca 1 \"H-1\" # \"n\"\n[1](2) \"S-9\"[1] # 4xEDR\n"), HasSubstr("fabric:2: 'S-9' is unknown"));
  EXPECT_THAT(refused("Ca 1 \"H-1\"\n[1](2) \"S-9\"[1] # 4xZDR\n"), HasSubstr("fabric:2: speed '4xZDR'"));
  EXPECT_THAT(refused("Ca 1 \"H-1\"\n[900](2) \"S-9\"[1]\n"), HasSubstr("port '900' is refused"));
  EXPECT_THAT(refused("Ca 1 \"H-1\"\nCa 1 \"H-1\"\n"), HasSubstr("fabric:2: 'H-1' is there twice"));
  EXPECT_THAT(refused("# nothing\n"), HasSubstr("neither a Switch nor a Ca"));
  EXPECT_THAT(refused("Ca 1 \"H-1\"\n[1](2) \"S-9\"[1] # \"leaf\" lid 1 ?xQDR\n"),
              HasSubstr("fabric:2: speed '?xQDR'"));
  EXPECT_THAT(refused("Ca 1 \"H-1\"\n[1](2) \"S-9\"[1] # 3xQDR\n"), HasSubstr("width of 1x, 2x, 4x, 8x or 12x"));
  // An x in a label says nothing.
  EXPECT_THAT(refused("Ca 1 \"H-1\"\n[1](2) \"S-9\"[1] # \"box\"\n"), HasSubstr("'S-9' is unknown"));
}

TEST(ImportedNetwork, AggregationNodesInsideSwitchesRunNoPrograms) {
  const ImportedNetwork found = parse_ibnetdiscover(R"(Switch	41 "S-1" # "leaf" enhanced port 0 lid 4 lmc 0
[1]	"H-1"[1](11) # "node01 mlx5_0" lid 10 4xHDR
[2]	"H-2"[1](12) # "node02 mlx5_0" lid 11 4xHDR
[41]	"H-3"[1](13) # "Mellanox Technologies Aggregation Node" lid 12 4xHDR
Ca	1 "H-3" # "Mellanox Technologies Aggregation Node"
[1](13) "S-1"[41] # lid 12 lmc 0 "leaf" lid 4 4xHDR
Ca	1 "H-1" # "node01 mlx5_0"
[1](11) "S-1"[1] # lid 10 lmc 0 "leaf" lid 4 4xHDR
Ca	1 "H-2" # "node02 mlx5_0"
[1](12) "S-1"[2] # lid 11 lmc 0 "leaf" lid 4 4xHDR
)",
                                                    "fabric");
  EXPECT_THAT(found.hosts, ElementsAre("node01", "node02"));
  EXPECT_EQ(found.cables.size(), 2U);
  EXPECT_THAT(found.notes, ElementsAre("1 aggregation node that switches have inside (SHARP) is left out"));
}

TEST(ImportedNetwork, SlurmsListsAreExpanded) {
  EXPECT_THAT(expand_hostlist("a,n[1-3,07]x,z", 99), ElementsAre("a", "n1x", "n2x", "n3x", "n07x", "z"));
  EXPECT_THAT(expand_hostlist("r[1-2]n[08-10]", 99), ElementsAre("r1n08", "r1n09", "r1n10", "r2n08", "r2n09", "r2n10"));
  for (const std::string_view bad : {"n[1-", "n[3-1]", "n[x]", "a,,b", "", "n[1-100]", "n[1-50]m[1-50]"}) {
    EXPECT_THROW(static_cast<void>(expand_hostlist(bad, 99)), Error) << bad;
  }
}

TEST(ImportedNetwork, SlurmsTreesHaveTheirRoutes) {
  const tests::ScratchDirectory folder;
  const std::string file = (folder / "tree.toml").string();
  const ImportedNetwork found = parse_slurm_topology(
      "# two leaves\nswitchname=leaf0 Nodes=n[0-1] LinkSpeed=4\nSwitchName=leaf1 \\\nNodes=n[2-3]\nSwitchName=top "
      "Switches=leaf[0-1]",
      "topology.conf");
  EXPECT_THAT(found.hosts, ElementsAre("n0", "n1", "n2", "n3"));
  EXPECT_EQ(found.notes.size(), 1U);
  const auto files = write_imported(found, file, "topology.conf", NetworkFormat::slurm, {10e9, 1e-6, 1e12});
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(base::read_file(files[2]), "n0\nn1\nn2\nn3\n");
  const Topology topology = load_platform(file).topology;
  EXPECT_EQ(topology.nodes(), 4U);
  // Routes of another network of this name would be taken for its own: nothing is written then.
  const std::string before = base::read_file(file);
  base::write_file((folder / "tree.routes.csv").string(), "from,to,over\n");
  const std::string why = told([&] {
    static_cast<void>(write_imported({{"n0"}, {}, {}}, file, "one", NetworkFormat::slurm, {1e9, 1e-6, 1e12}));
  });
  EXPECT_THAT(why, HasSubstr("tree.routes.csv is there, and would be taken for the routes of the new network"));
  EXPECT_EQ(base::read_file(file), before);
  EXPECT_EQ(topology.route(0, 1).size(), 2U);
  EXPECT_EQ(topology.route(0, 3).size(), 4U);
  EXPECT_EQ(topology.links()[topology.route(0, 3)[1]].bytes_per_second, 10e9);
  const auto refused = [](std::string_view text) {
    return told([&] { static_cast<void>(parse_slurm_topology(text, "topology.conf")); });
  };
  EXPECT_THAT(refused("SwitchName=a Nodes=n[0-1]\nSwitchName=b Nodes=n1\n"),
              HasSubstr("topology.conf:2: n1 is under a already"));
  EXPECT_THAT(refused("SwitchName=a Nodes=n0\nSwitchName=b Nodes=n1\n"),
              HasSubstr("topology.conf:2: switch b is not joined with a"));
  EXPECT_THAT(refused("SwitchName=a Switches=b\n"), HasSubstr("topology.conf:1: switch b is unknown"));
  EXPECT_THAT(refused("SwitchName=a Switches=a\n"), HasSubstr("under itself"));
  EXPECT_THAT(refused("SwitchName=a Node=n0\n"), HasSubstr("key 'Node' is refused"));
  EXPECT_THAT(refused("SwitchName=a\n"), HasSubstr("either Nodes or Switches"));
  EXPECT_THAT(refused("SwitchName=a Nodes=n[0-1\n"), HasSubstr("topology.conf:1: "));
  EXPECT_THAT(refused("\n"), HasSubstr("no line SwitchName"));
}

// In this order Slurm's page shows several switches above the same ones.
TEST(ImportedNetwork, SlurmsSwitchesMayBeUnderSeveral) {
  const tests::ScratchDirectory folder;
  const std::string file = (folder / "clos.toml").string();
  const ImportedNetwork found = parse_slurm_topology(
      "SwitchName=s0 Nodes=tux[0-3]\nSwitchName=s1 Nodes=tux[4-7]\nSwitchName=s2 Nodes=tux[8-11]\n"
      "SwitchName=s3 Nodes=tux[12-15]\nSwitchName=s4 Switches=s[0-3]\nSwitchName=s5 Switches=s[0-3]\n"
      "SwitchName=s6 Switches=s[0-3]\nSwitchName=s7 Switches=s[0-3]\n",
      "topology.conf");
  EXPECT_EQ(found.hosts.size(), 16U);
  EXPECT_EQ(found.cables.size(), 16U + 16U);
  static_cast<void>(write_imported(found, file, "topology.conf", NetworkFormat::slurm, {}));
  const Topology topology = load_platform(file).topology;
  std::set<LinkId> up;  // from s0 to the four switches above it
  for (NodeId to = 4; to < 16; ++to) {
    ASSERT_EQ(topology.route(0, to).size(), 4U);
    up.insert(topology.route(0, to)[1]);
  }
  EXPECT_EQ(up.size(), 4U);
}

TEST(ImportedNetwork, OtherFilesOfSlurmAreRefusedByTheirName) {
  const auto refused = [](std::string_view text) {
    EXPECT_TRUE(is_slurm_topology(text)) << text;
    return told([&] { static_cast<void>(parse_slurm_topology(text, "t")); });
  };
  EXPECT_THAT(refused("# blocks\nBlockName=b1 Nodes=n[1-18]\nBlockSizes=16\n"),
              HasSubstr("t:2: 'BlockName=b1' is refused: blocks (topology/block)"));
  EXPECT_THAT(refused("---\n- topology: topo1\n  tree:\n    switches:\n"), HasSubstr("t:1: topology.yaml is refused"));
  EXPECT_THAT(refused("SWITCHNAME=a Nodes=ALL\n"), HasSubstr("t:1: Nodes=ALL is refused"));
  EXPECT_THAT(refused("SwitchName=a Nodes=n0\nSwitchName=b Switches=a,c\nSwitchName=c Switches=b\n"),
              HasSubstr("t:2: the switches go round in a circle"));
  EXPECT_FALSE(is_slurm_topology("from,to,bytes\n0,1,2\n"));
}

constexpr std::string_view kMachine = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0">
    <info name="Backend" value="Linux"/>
    <object type="Package" os_index="0">
      <object type="NUMANode" os_index="0"/>
      <object type="L3Cache">
        <object type="Core" os_index="0"><object type="PU" os_index="0"/><object type="PU" os_index="4"/></object>
        <object type="Core" os_index="1"><object type="PU" os_index="1"/></object>
      </object>
    </object>
    <object type="Package" os_index="1">
      <object type="Core" os_index="2"><object type="PU" os_index="2"/></object>
      <object type="Core" os_index="3"><object type="PU" os_index="3"/></object>
    </object>
  </object>
</topology>
)";

/// False where libxml2 is left out.
bool has_xml() {
  return !told([] { static_cast<void>(parse_hwloc("", "machine")); }).starts_with("no XML can be read");
}

TEST(ImportedNetwork, HwlocsCoresAreNodes) {
  if (!has_xml()) GTEST_SKIP() << "without libgdr_xml.so";
  const tests::ScratchDirectory folder;
  const ImportedNetwork found = parse_hwloc(kMachine, "machine.xml");
  EXPECT_THAT(found.hosts, ElementsAre("Core0", "Core1", "Core2", "Core3"));
  const std::string file = (folder / "machine.toml").string();
  static_cast<void>(write_imported(found, file, "machine.xml", NetworkFormat::hwloc, {}));
  const Topology topology = load_platform(file).topology;
  EXPECT_EQ(topology.route(0, 1).size(), 2U);  // over the cache
  EXPECT_EQ(topology.route(2, 3).size(), 2U);  // over the package
  EXPECT_EQ(topology.route(0, 2).size(), 4U);  // over both and the machine
  const auto refused = [](std::string_view text) {
    return told([&] { static_cast<void>(parse_hwloc(text, "machine.xml")); });
  };
  EXPECT_THAT(refused("<topology>\n<object type=\"Machine\">\n</topology>\n"), HasSubstr("machine.xml:3: "));
  EXPECT_THAT(refused("<platform/>\n"), HasSubstr("machine.xml:1: the root must be <topology>"));
  EXPECT_THAT(refused("<topology>\n<object/>\n</topology>\n"), HasSubstr("machine.xml:2: an object without type"));
  EXPECT_THAT(refused("<topology>\n<object type=\"Machine\"/>\n</topology>\n"), HasSubstr("no object of type Core"));
  EXPECT_THAT(refused("<topology><object type=\"Core\"/><object type=\"Core\"/></topology>"),
              HasSubstr("a second machine"));
}

TEST(ImportedNetwork, PlatformsOfSimgridKeepTheirRoutes) {
  if (!has_simgrid()) GTEST_SKIP() << "without libgdr_simgrid.so";
  const tests::ScratchDirectory folder;
  const std::string xml = (folder / "tree.xml").string();
  const Topology ours = fat_tree({2, 2, 2, 1, {2e9, 3e-6}, FatTreeRouting::destination});
  base::write_file(xml, simgrid_file(ours, 5e9));
  const std::string links = (folder / "back.links.csv").string();
  const std::string routes = (folder / "back.routes.csv").string();
  const std::string hosts = (folder / "back.hosts.txt").string();
  const std::string speeds = (folder / "back.speeds.csv").string();
  const PlatformOfSimgrid found = import_simgrid_platform(xml, base::read_file(xml), {links, routes, hosts, speeds});
  EXPECT_EQ(found.nodes, 4U);
  EXPECT_EQ(found.fat_pipes, 0U);
  EXPECT_EQ(found.flops_per_second, 5e9);
  EXPECT_EQ(found.bytes_per_second, 2e9);
  base::write_file((folder / "back.toml").string(), R"(name = "back"
title = "back"
kind = "table"
[parameters]
nodes      = { value = 4, unit = "1", origin = "O: a test" }
bandwidth  = { value = 2, unit = "GB/s per node", origin = "O: a test" }
latency    = { value = 3, unit = "us", origin = "O: a test" }
node_speed = { value = 5, unit = "Gflops", origin = "O: a test" }
)");
  const Topology back = load_platform((folder / "back.toml").string()).topology;
  for (NodeId from = 0; from < 4; ++from) {
    for (NodeId to = 0; to < 4; ++to) {
      const std::vector<LinkId> passed = back.route(from, to);
      ASSERT_EQ(passed.size(), ours.route(from, to).size());
      for (const LinkId link : passed) {
        EXPECT_DOUBLE_EQ(back.links()[link].bytes_per_second, 2e9);
        EXPECT_DOUBLE_EQ(back.links()[link].latency_seconds, 3e-6);
      }
    }
  }
  base::write_file(xml,
                   "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                   "<platform version=\"4.1\">\n<zone id=\"z\" routing=\"Nowhere\"/>\n</platform>\n");
  EXPECT_THAT(told([&] {
                static_cast<void>(import_simgrid_platform(xml, base::read_file(xml), {links, routes, hosts, speeds}));
              }),
              HasSubstr("tree.xml"));
}

TEST(ImportedNetwork, PlatformsThatSimgridRefusesAreNamedWithTheLikelyCause) {
  if (!has_simgrid()) GTEST_SKIP() << "without libgdr_simgrid.so";
  const tests::ScratchDirectory folder;
  const std::string xml = (folder / "own.xml").string();
  const std::string out = (folder / "own").string();
  const auto refused = [&](const std::string& platform) {
    base::write_file(xml,
                     "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                     "<platform version=\"4.1\">\n" +
                         platform + "\n</platform>\n");
    const PlatformTables tables{out + ".links.csv", out + ".routes.csv", out + ".hosts.txt", out + ".speeds.csv"};
    const std::string text =
        told([&] { static_cast<void>(import_simgrid_platform(xml, base::read_file(xml), tables)); });
    EXPECT_TRUE(text.starts_with(xml + ":")) << text;
    return text.substr(std::min(text.size(), xml.size()));
  };
  const std::string hosts = "<host id=\"A\" speed=\"1Gf\"/><host id=\"B\" speed=\"1Gf\"/>";
  const std::string link = "<link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"/>";
  const std::string route = "<route src=\"A\" dst=\"B\"><link_ctn id=\"l\"/></route>";
  const auto zone = [](const std::string& routing, const std::string& content) {
    return "<zone id=\"z\" routing=\"" + routing + "\">" + content + "</zone>";
  };
  EXPECT_EQ(refused(zone("Full", "<host id=\"A\" speed=\"1Gf\" speed_file=\"gone.txt\"/>" + link)).substr(0, 63),
            ": SimGrid refuses the platform: Cannot open file 'gone.txt' (pa");
  EXPECT_THAT(refused(zone("None", hosts)),
              HasSubstr("SimGrid finds no route from A to B (There can't be route in an"));
  EXPECT_THAT(refused(zone("Floyd", hosts + "<host id=\"C\" speed=\"1Gf\"/>" + link + route)),
              HasSubstr("SimGrid finds no route from A to C (No route from 'A' to 'C')"));
  EXPECT_THAT(refused(zone("Dijkstra", hosts + "<host id=\"C\" speed=\"1Gf\"/>" + link + route)),
              HasSubstr("SimGrid finds no route from "));
  EXPECT_THAT(refused("\n" + zone("Full", hosts + "<link id=\"l\"/>")), HasSubstr(":5"));
}

TEST(ImportedNetwork, SettingsOfPlatformsReachNoSimgrid) {
  if (!has_simgrid()) GTEST_SKIP() << "without libgdr_simgrid.so";
  const tests::ScratchDirectory folder;
  const std::string out = (folder / "own").string();
  const std::string victim = (folder / "thesis.tex").string();
  const PlatformTables tables{out + ".links.csv", out + ".routes.csv", out + ".hosts.txt", out + ".speeds.csv"};
  const std::string zone =
      "<zone id=\"z\" routing=\"Full\"><host id=\"A\" speed=\"1Gf\"/><host id=\"B\" speed=\"1Gf\"/>"
      "<link id=\"l\" bandwidth=\"1GBps\" latency=\"1us\"/><route src=\"A\" dst=\"B\"><link_ctn id=\"l\"/></route>"
      "</zone>";
  const std::string props =
      "<prop id=\"tracing\" value=\"yes\"/><prop id=\"tracing/platform\" value=\"yes\"/><prop id='" +
      std::string("tracing/filename' value='") + victim + "'/>";
  const auto imported = [&](const std::string& platform) {
    base::write_file(victim, "a year's work");
    const std::string text =
        "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
        "<platform version=\"4.1\">\n" +
        platform + "</platform>\n";
    PlatformOfSimgrid found;
    const std::string why = told([&] { found = import_simgrid_platform(out + ".xml", text, tables); });
    EXPECT_EQ(base::read_file(victim), "a year's work") << platform;
    return std::pair(why, found.notes);
  };
  const std::vector<std::string> left_out{"settings of SimGrid (<config>) are left out"};
  for (const std::string& settings :
       {"<config>" + props + "</config>", "<config id=\"a>b\" >\n" + props + "</config >\n",
        "<config><!-- </config> -->" + props + "</config>", "<!-- <config> --><config\n>" + props + "</config>"}) {
    const auto [why, notes] = imported(settings + zone);
    EXPECT_EQ(why, "") << settings;
    EXPECT_EQ(notes, left_out) << settings;
  }
  EXPECT_EQ(imported("<!-- <config>" + props + "</config> -->" + zone),
            std::pair(std::string(), std::vector<std::string>()));
  // What is a comment for one reader and a value for another.
  const std::string hidden = "<config>" + props + "</config>";
  EXPECT_NE(imported("<zone id=\"<!--\" routing=\"None\"/>" + hidden + "<zone id=\"-->\" routing=\"None\"/>").first,
            "");
  EXPECT_THAT(imported("<zone id='" + hidden.substr(0, 8) + "' routing=\"None\"/>").first,
              HasSubstr("own.xml: a setting is refused"));
  EXPECT_THAT(imported("<config>" + props + zone).first, HasSubstr("own.xml: a <config> does not end"));
  // Lines of messages are those of the file.
  EXPECT_THAT(
      imported("<config>\n\n" + props + "</config>\n<zone id=\"z\" routing=\"Full\"><link id=\"l\"/></zone>").first,
      HasSubstr("own.xml:7"));
}

constexpr std::string_view kPair = R"(name = "pair"
title = "pair"
kind = "table"
[parameters]
nodes      = { value = 2, unit = "1", origin = "O: a test" }
bandwidth  = { value = 2, unit = "GB/s per node", origin = "O: a test" }
latency    = { value = 3, unit = "us", origin = "O: a test" }
node_speed = { value = 5, unit = "Gflops", origin = "O: a test" }
)";

TEST(ImportedNetwork, NodesOfATableHaveTheirOwnSpeeds) {
  const tests::ScratchDirectory folder;
  const std::string file = (folder / "pair.toml").string();
  const std::string speeds = (folder / "pair.speeds.csv").string();
  base::write_file(file, kPair);
  base::write_file((folder / "pair.links.csv").string(), "name,bandwidth,latency\na,1,2\n");
  base::write_file((folder / "pair.routes.csv").string(), "from,to,links\n0,1,a\n1,0,a\n");
  EXPECT_EQ(load_platform(file).common_flops_per_second(), 5e9);  // without the table
  base::write_file(speeds, "node,speed\n0,2\n1,2\n");
  EXPECT_EQ(load_platform(file).common_flops_per_second(), 2e9);
  base::write_file(speeds, "node,speed\n0,1\n1,0.25\n");
  const Platform platform = load_platform(file);
  EXPECT_THAT(platform.flops_of_node, ElementsAre(1e9, 0.25e9));
  EXPECT_THAT(placed(platform, {1, 0}).flops_of_node, ElementsAre(0.25e9, 1e9));
  EXPECT_EQ(told([&] { static_cast<void>(platform.common_flops_per_second()); }),
            "pair: nodes of different speeds are refused here: node 1 has 0.25 Gflops, node 0 1");
  EXPECT_THAT(simgrid_file(platform), HasSubstr("<host id=\"1\" speed=\"250000000f\"/>"));
  const auto refused = [&](const std::string& text) {
    base::write_file(speeds, text);
    return told([&] { static_cast<void>(load_platform(file)); });
  };
  EXPECT_THAT(refused("speed\n1\n1\n"), HasSubstr("pair.speeds.csv:1: the header"));
  EXPECT_THAT(refused("node,speed\n0,1\n"), HasSubstr("pair.speeds.csv:2: there is no speed of node 1"));
  EXPECT_THAT(refused("node,speed\n1,1\n0,1\n"), HasSubstr("pair.speeds.csv:2: node '1' is refused"));
  EXPECT_THAT(refused("node,speed\n0,1\n1,0\n"), HasSubstr("pair.speeds.csv:3: speed 0 is refused"));
  EXPECT_THAT(refused("node,speed\n0,1\n1,1\n2,1\n"), HasSubstr("pair.speeds.csv:4: a line after that of node 1"));
}

TEST(ImportedNetwork, TablesAreRefusedWithTheirLine) {
  const tests::ScratchDirectory folder;
  const std::string file = (folder / "own.toml").string();
  base::write_file(file, R"(name = "own"
title = "own"
kind = "table"
[parameters]
nodes      = { value = 2, unit = "1", origin = "O: a test" }
bandwidth  = { value = 2, unit = "GB/s per node", origin = "O: a test" }
latency    = { value = 3, unit = "us", origin = "O: a test" }
node_speed = { value = 5, unit = "Gflops", origin = "O: a test" }
)");
  const auto refused = [&](const std::string& links, const std::string& routes) {
    base::write_file((folder / "own.links.csv").string(), links);
    base::write_file((folder / "own.routes.csv").string(), routes);
    return told([&] { static_cast<void>(load_platform(file)); });
  };
  EXPECT_THAT(told([&] { static_cast<void>(load_platform(file)); }), HasSubstr("ends in .links.csv"));
  const std::string good = "name,bandwidth,latency\na,1,2\n";
  EXPECT_EQ(refused(good, "from,to,links\n0,1,a\n1,0,a a\n"), "");
  EXPECT_THAT(refused("a,1,2\n", ""), HasSubstr("own.links.csv:1: the header"));
  EXPECT_THAT(refused("name,bandwidth,latency\na,0,2\n", ""), HasSubstr("own.links.csv:2: bandwidth 0"));
  EXPECT_THAT(refused("name,bandwidth,latency\na,1,2\na,1,2\n", ""),
              HasSubstr("own.links.csv:3: link 'a' is there twice"));
  EXPECT_THAT(refused(good, "from,to,links\n0,2,a\n"), HasSubstr("own.routes.csv:2: node '2'"));
  EXPECT_THAT(refused(good, "from,to,links\n0,1,b\n"), HasSubstr("own.routes.csv:2: link 'b' is unknown"));
  EXPECT_THAT(refused(good, "from,to,links\n0,1,a\n0,1,a\n"), HasSubstr("own.routes.csv:3: a route from 0 to 1"));
  EXPECT_THAT(refused(good, "from,to,links\n0,1,a\n"), HasSubstr("no route from 1 to 0"));
}

}  // namespace
}  // namespace gdr::interconnect
