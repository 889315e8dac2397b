// https://microsoft.github.io/language-server-protocol, version 3.17.
#include "gdr/editor/server.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "answers.h"
#include "gdr/base/error.h"
#include "kept_lines.h"

namespace gdr::editor {
namespace {

// Error codes of JSON-RPC and of the protocol.
enum class ErrorCode : int {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
  not_initialized = -32002,
  request_failed = -32803
};

struct RequestError {
  ErrorCode code;
  std::string message;
};

constexpr int kMostDepth = 64;  // messages are nested some 10 levels deep

json parsed(std::string_view text) {
  const auto refuse_deep = [](int depth, json::parse_event_t, const json&) {
    if (depth > kMostDepth) throw Error(fmt::format("the message is more than {} levels deep", kMostDepth));
    return true;
  };
  return json::parse(text.begin(), text.end(), refuse_deep);
}

[[noreturn]] void refuse_params(std::string message) {
  throw RequestError{ErrorCode::invalid_params, std::move(message)};
}

/// Reads a number of lines or characters.
std::uint32_t count_of(const json& object, const char* key) {
  const json& value = object.at(key);
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > std::numeric_limits<std::int32_t>::max()) {
    refuse_params(fmt::format("{} = {} is refused: it must be 0 to 2147483647", key, value.dump()));
  }
  return value.get<std::uint32_t>();
}

std::string uri_in(const json& params) { return params.at("textDocument").at("uri").get<std::string>(); }

/// Adds a client's settings to the options of the command line. Throws gdr::Error, and what the JSON library throws.
assembler::AssembleOptions with_settings(assembler::AssembleOptions options, const json& settings,
                                         const std::filesystem::path& root) {
  if (!settings.is_object()) throw Error("settings are an object");
  for (const auto& [key, value] : settings.items()) {
    if (key == "includePath") {
      for (const json& each : value) options.include_directories.push_back(root / each.get<std::string>());
    } else if (key == "definitions") {
      if (!value.is_object()) throw Error("definitions are an object of names and values");
      for (const auto& [name, given] : value.items()) {
        options.definitions[name] = given.is_string() ? given.get<std::string>() : given.dump();
      }
    } else if (key == "warnings") {
      for (const json& each : value) options.warnings.apply(each.get<std::string>());
    } else if (key == "compatIl") {
      options.compat_il = value.get<bool>();
    }  // other keys are settings of the editor's extension
  }
  return options;
}

}  // namespace

class LanguageServer::Impl {
 public:
  Impl(assembler::AssembleOptions options, std::function<void(std::string_view message)> send, Compiler compiler)
      : given_(options), workspace_(std::move(options), std::move(compiler)), send_(std::move(send)) {}

  bool handle(std::string_view message) {
    json id = nullptr;
    bool answers = true;  // false for a notification
    try {
      take(parsed(message), id, answers);
    } catch (const RequestError& error) {
      if (answers) refuse(id, error.code, error.message);
    } catch (const json::parse_error& error) {
      refuse(nullptr, ErrorCode::parse_error, error.what());
    } catch (const json::exception& error) {
      if (answers) refuse(id, ErrorCode::invalid_params, fmt::format("the parameters are refused: {}", error.what()));
    } catch (const Error& error) {
      if (answers) refuse(id, ErrorCode::request_failed, error.what());
    } catch (const std::exception& error) {
      if (answers) refuse(id, ErrorCode::internal_error, error.what());
    }
    return !over_;
  }

  void settle() {
    if (!changed_) return;
    changed_ = false;
    std::map<std::string, json> found;
    for (const std::string& root : workspace_.roots()) {
      const bool fragment = !workspace_.documents().at(root).is_kernel;
      const Unit& unit = workspace_.unit(root);
      const std::map<std::string, KeptLines> kept = kept_lines(unit);
      for (auto& [uri, list] : diagnostics_of(unit, fragment, related_)) {
        list = moved(std::move(list), uri, kept);
        json& all = found.try_emplace(uri, json::array()).first->second;
        for (json& each : list) {
          if (std::ranges::find(all, each) == all.end()) all.push_back(std::move(each));
        }
      }
    }
    for (const auto& [uri, document] : workspace_.documents()) found.try_emplace(uri, json::array());
    for (const auto& [uri, list] : published_) found.try_emplace(uri, json::array());
    for (const auto& [uri, list] : found) publish(uri, list);
  }

  [[nodiscard]] bool was_shut_down() const { return shut_down_; }

 private:
  using Answer = json (Impl::*)(const json& params);
  using Notice = void (Impl::*)(const json& params);

  // ---- messages ----------------------------------------------------------------------------------------------------

  void post(json message) {
    message["jsonrpc"] = "2.0";
    send_(message.dump(-1, ' ', false, json::error_handler_t::replace));
  }
  void refuse(const json& id, ErrorCode code, const std::string& message) {
    post({{"id", id}, {"error", {{"code", static_cast<int>(code)}, {"message", message}}}});
  }

  void publish(const std::string& uri, const json& list) {
    const auto document = workspace_.documents().find(uri);
    const bool open = document != workspace_.documents().end();
    json params{{"uri", uri}, {"diagnostics", list}};
    if (open && document->second.version) params["version"] = *document->second.version;
    const auto before = published_.find(uri);
    if (before != published_.end() && before->second == params) return;
    if (before == published_.end() && !open && list.empty()) return;
    post({{"method", "textDocument/publishDiagnostics"}, {"params", params}});
    if (open || !list.empty()) {
      published_[uri] = std::move(params);
    } else {
      published_.erase(uri);
    }
  }

  void take(const json& message, json& id, bool& answers) {
    if (!message.is_object()) throw RequestError{ErrorCode::invalid_request, "a message is an object"};
    if (const auto found = message.find("id"); found != message.end()) {
      if (!found->is_number_integer() && !found->is_string()) {
        throw RequestError{ErrorCode::invalid_request, "id is a whole number or a string"};
      }
      id = *found;
    }
    const auto method = message.find("method");
    if (method == message.end() && (message.contains("result") || message.contains("error"))) {
      answers = false;  // a client's answer to a request that was never sent
      return;
    }
    if (method == message.end() || !method->is_string()) {
      throw RequestError{ErrorCode::invalid_request, "a message has a method"};
    }
    answers = !id.is_null();
    json params = message.value("params", json::object());
    if (params.is_null()) params = json::object();
    if (params.is_array() && params.empty()) params = json::object();  // as some clients write none
    if (!params.is_object()) refuse_params("params are an object");
    const std::string name = method->get<std::string>();
    if (answers) {
      post({{"id", id}, {"result", answer(name, params)}});
    } else {
      notice(name, params);
    }
  }

  json answer(const std::string& method, const json& params) {
    static const std::map<std::string_view, Answer> kAnswers{
        {"initialize", &Impl::initialize},
        {"shutdown", &Impl::shutdown},
        {"textDocument/hover", &Impl::answer_at<&hover>},
        {"textDocument/definition", &Impl::answer_at<&definition>},
        {"textDocument/references", &Impl::find_references},
        {"textDocument/documentHighlight", &Impl::find_highlights},
        {"textDocument/prepareRename", &Impl::answer_at<&prepare_rename>},
        {"textDocument/rename", &Impl::find_renames},
        {"textDocument/documentSymbol", &Impl::find_symbols},
        {"textDocument/completion", &Impl::answer_at<&completion>},
        {"textDocument/codeAction", &Impl::find_actions},
        {"textDocument/inlayHint", &Impl::find_hints},
        {"textDocument/semanticTokens/full", &Impl::find_tokens},
        {"textDocument/formatting", &Impl::find_formatting},
        {"textDocument/foldingRange", &Impl::find_folding},
        {"textDocument/signatureHelp", &Impl::answer_at<&signature_help>},
        {"workspace/symbol", &Impl::find_workspace_symbols},
    };
    const auto found = kAnswers.find(method);
    if (shut_down_) throw RequestError{ErrorCode::invalid_request, "the server is shut down"};
    if (!initialized_ && method != "initialize") {
      throw RequestError{ErrorCode::not_initialized, "the first request is initialize"};
    }
    if (found == kAnswers.end()) {
      throw RequestError{ErrorCode::method_not_found, fmt::format("unknown method '{}'", method)};
    }
    return (this->*found->second)(params);
  }

  void notice(const std::string& method, const json& params) {
    static const std::map<std::string_view, Notice> kNotices{
        {"exit", &Impl::exit},
        {"textDocument/didOpen", &Impl::did_open},
        {"textDocument/didChange", &Impl::did_change},
        {"textDocument/didClose", &Impl::did_close},
        {"textDocument/didSave", &Impl::did_save},
        {"workspace/didChangeConfiguration", &Impl::did_change_configuration},
        {"workspace/didChangeWatchedFiles", &Impl::did_change_files},
    };
    const auto found = kNotices.find(method);
    if (found == kNotices.end() || (!initialized_ && method != "exit")) return;
    try {
      (this->*found->second)(params);
    } catch (const RequestError& error) {
      complain(method, error.message);
    } catch (const std::exception& error) {
      complain(method, error.what());
    }
  }

  /// A notification has no answer, so the user gets a message.
  void complain(const std::string& method, const std::string& message) {
    constexpr int kErrorMessage = 1;
    post({{"method", "window/showMessage"},
          {"params", {{"type", kErrorMessage}, {"message", fmt::format("gdr: {}: {}", method, message)}}}});
  }

  // ---- the session -------------------------------------------------------------------------------------------------

  json initialize(const json& params) {
    if (initialized_) throw RequestError{ErrorCode::invalid_request, "the server is initialized already"};
    root_ = root_in(params);
    const auto options = params.find("initializationOptions");
    if (options != params.end() && !options->is_null()) apply(*options);
    const json::json_pointer related("/capabilities/textDocument/publishDiagnostics/relatedInformation");
    related_ = params.value(related, json(false)) == json(true);
    initialized_ = true;
    return {{"serverInfo", {{"name", "gdr"}}}, {"capabilities", capabilities()}};
  }

  static json capabilities() {
    constexpr int kIncremental = 2;
    return {{"positionEncoding", "utf-16"},
            {"textDocumentSync", {{"openClose", true}, {"change", kIncremental}, {"save", true}}},
            {"hoverProvider", true},
            {"definitionProvider", true},
            {"referencesProvider", true},
            {"documentHighlightProvider", true},
            {"renameProvider", {{"prepareProvider", true}}},
            {"documentSymbolProvider", true},
            {"completionProvider", {{"triggerCharacters", {"$"}}}},
            {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}},
            {"inlayHintProvider", true},
            {"documentFormattingProvider", true},
            {"foldingRangeProvider", true},
            {"signatureHelpProvider", {{"triggerCharacters", {" "}}}},
            {"workspaceSymbolProvider", true},
            {"semanticTokensProvider", {{"legend", semantic_legend()}, {"full", true}}}};
  }

  static std::filesystem::path root_in(const json& params) {
    const auto folders = params.find("workspaceFolders");
    if (folders != params.end() && folders->is_array() && !folders->empty()) {
      return path_of(folders->front().at("uri").get<std::string>()).value_or(".");
    }
    const auto root = params.find("rootUri");
    if (root != params.end() && root->is_string()) return path_of(root->get<std::string>()).value_or(".");
    return ".";
  }

  void apply(const json& settings) {
    try {
      workspace_.set_options(with_settings(given_, settings, root_));
      changed_ = true;
    } catch (const Error& error) {
      refuse_params(fmt::format("settings: {}", error.what()));
    }
  }

  json shutdown(const json&) {
    shut_down_ = true;
    return nullptr;
  }
  void exit(const json&) { over_ = true; }

  // ---- documents ---------------------------------------------------------------------------------------------------

  void did_open(const json& params) {
    const json& document = params.at("textDocument");
    workspace_.open(uri_in(params), with_line_feeds(document.at("text").get<std::string>()), version_in(document));
    changed_ = true;
  }

  void did_change(const json& params) {
    require_open(uri_in(params));
    const json& changes = params.at("contentChanges");
    if (!changes.is_array()) throw Error("contentChanges are a list");
    std::string text = workspace_.documents().at(uri_in(params)).text;
    for (const json& change : changes) text = with_line_feeds(with_change(std::move(text), change));
    workspace_.open(uri_in(params), std::move(text), version_in(params.at("textDocument")));
    changed_ = true;
  }

  /// The text after a change: replaces the text in a range, or all of it if there is no range.
  static std::string with_change(std::string text, const json& change) {
    auto inserted = change.at("text").get<std::string>();
    const auto range = change.find("range");
    if (range == change.end() || range->is_null()) return inserted;
    const Text before(std::move(text));
    const auto offset_of = [&](const json& at) {
      return before.offset_of(count_of(at, "line"), count_of(at, "character"));
    };
    const std::size_t begin = offset_of(range->at("start"));
    const std::size_t end = offset_of(range->at("end"));
    if (end < begin) throw Error("a range ends before it begins");
    std::string after = before.all();
    return after.replace(begin, end - begin, inserted);
  }

  void did_close(const json& params) {
    require_open(uri_in(params));
    workspace_.close(uri_in(params));
    changed_ = true;
  }

  void did_save(const json& params) {
    require_open(uri_in(params));
    workspace_.saved(uri_in(params));
    changed_ = true;
  }

  void did_change_configuration(const json& params) {
    const json& settings = params.at("settings");
    if (settings.is_null()) return;
    apply(settings.contains("gdr") ? settings.at("gdr") : settings);
  }

  void did_change_files(const json&) {
    workspace_.forget();
    changed_ = true;
  }

  // ---- places in them ----------------------------------------------------------------------------------------------

  [[nodiscard]] const Unit& context_in(const json& params) {
    require_open(uri_in(params));
    return workspace_.context(uri_in(params));
  }

  [[nodiscard]] static std::uint32_t file_in(const Unit& unit, const json& params) {
    return unit.file_of(uri_in(params)).value_or(0);
  }

  /// For the open files of a compiled unit that were edited since: where their lines are now, by URI.
  [[nodiscard]] std::map<std::string, KeptLines> kept_lines(const Unit& unit) const {
    std::map<std::string, KeptLines> kept;
    for (std::size_t file = 0; unit.compiled && file < unit.uris.size(); ++file) {
      const auto open = workspace_.documents().find(unit.uris[file]);
      if (open == workspace_.documents().end() || open->second.text == unit.texts[file].all()) continue;
      kept.try_emplace(unit.uris[file], unit.texts[file], Text(open->second.text));
    }
    return kept;
  }

  /// Brings a range of a compiled text to where its line is now. Returns false if the line has changed.
  static bool move_range(json& range, const std::string& uri, const std::map<std::string, KeptLines>& kept) {
    const auto lines = kept.find(uri);
    if (lines == kept.end()) return true;
    const auto line = lines->second.now(range["start"]["line"].get<std::size_t>());
    for (const char* end : {"start", "end"}) range[end]["line"] = line.value_or(0);
    return line.has_value();
  }

  /// Diagnostics of a file where its lines are now, without those of changed lines.
  static json moved(json list, const std::string& uri, const std::map<std::string, KeptLines>& kept) {
    if (kept.empty()) return list;
    json left = json::array();
    for (json& each : list) {
      if (!move_range(each["range"], uri, kept)) continue;
      json related = json::array();
      for (json& note : each.value("relatedInformation", json::array())) {
        json& location = note["location"];
        if (move_range(location["range"], location["uri"].get<std::string>(), kept)) related.push_back(std::move(note));
      }
      if (each.contains("relatedInformation")) each["relatedInformation"] = std::move(related);
      left.push_back(std::move(each));
    }
    return left;
  }

  [[nodiscard]] At at(const json& params) {
    const Unit& unit = context_in(params);
    At found{unit, file_in(unit, params), count_of(params.at("position"), "line"), 0};
    const std::map<std::string, KeptLines> kept = kept_lines(unit);
    if (const auto lines = kept.find(unit.uris[found.file]); lines != kept.end()) {
      // Nothing stands beyond the text, and nothing is known of a changed line.
      constexpr std::uint32_t kBeyond = std::numeric_limits<std::uint32_t>::max();
      found.line = lines->second.before(found.line).value_or(kBeyond);
    }
    found.byte = found.text().byte_after(found.line, count_of(params.at("position"), "character"));
    return found;
  }

  template <json (*answer_of)(const At&)>
  json answer_at(const json& params) {
    return answer_of(at(params));
  }

  /// Every unit that may contain a name of an open document.
  [[nodiscard]] std::vector<const Unit*> units() {
    std::vector<const Unit*> all;
    for (const std::string& root : workspace_.roots()) all.push_back(&workspace_.unit(root));
    return all;
  }

  json find_references(const json& params) {
    const auto context = params.value("context", json::object());
    const bool declarations = context.value("includeDeclaration", true);
    json found = json::array();
    for (const Occurrence& each : occurrences(at(params), units())) {
      if (declarations || !each.declares) found.push_back({{"uri", each.uri}, {"range", each.range}});
    }
    return found;
  }

  json find_highlights(const json& params) {
    json found = json::array();
    for (const Occurrence& each : occurrences(at(params), units())) {
      if (each.uri == uri_in(params)) found.push_back({{"range", each.range}});
    }
    return found;
  }

  json find_renames(const json& params) { return rename(at(params), units(), params.at("newName").get<std::string>()); }

  json find_symbols(const json& params) {
    const Unit& unit = context_in(params);
    return document_symbols(unit, file_in(unit, params));
  }

  json find_hints(const json& params) {
    const Unit& unit = context_in(params);
    const json& range = params.at("range");
    const std::uint32_t file = file_in(unit, params);
    const std::uint32_t first = count_of(range.at("start"), "line");
    const std::uint32_t last = count_of(range.at("end"), "line");
    const std::map<std::string, KeptLines> kept = kept_lines(unit);
    const auto lines = kept.find(unit.uris[file]);
    if (lines == kept.end()) return inlay_hints(unit, file, first, last);
    json hints = json::array();
    for (json& each : inlay_hints(unit, file, 0, static_cast<std::uint32_t>(unit.texts[file].lines()))) {
      const auto line = lines->second.now(each["position"]["line"].get<std::size_t>());
      if (!line || *line < first || *line > last) continue;
      each["position"]["line"] = *line;
      hints.push_back(std::move(each));
    }
    return hints;
  }

  json find_actions(const json& params) {
    const Unit& unit = context_in(params);
    const json context = params.value("context", json::object());
    const json only = context.is_object() ? context.value("only", json()) : json();
    // A requested kind includes its sub-kinds.
    const bool wanted = !only.is_array() ||
                        std::ranges::any_of(only, [](const json& kind) { return kind == "quickfix" || kind == ""; });
    const json& range = params.at("range");
    for (const char* end : {"start", "end"}) {
      static_cast<void>(count_of(range.at(end), "line"));
      static_cast<void>(count_of(range.at(end), "character"));
    }
    return wanted ? code_actions(unit, file_in(unit, params), range) : json::array();
  }

  json find_formatting(const json& params) {
    const Unit& unit = context_in(params);
    return unit.compiled ? json(nullptr) : formatting(unit, file_in(unit, params));
  }

  json find_folding(const json& params) {
    const Unit& unit = context_in(params);
    return unit.compiled ? json(nullptr) : folding_ranges(unit, file_in(unit, params));
  }

  json find_workspace_symbols(const json& params) { return workspace_symbols(units(), params.value("query", "")); }

  json find_tokens(const json& params) {
    const Unit& unit = context_in(params);
    return semantic_tokens(unit, file_in(unit, params));
  }

  static std::optional<std::int64_t> version_in(const json& document) {
    const auto version = document.find("version");
    if (version == document.end() || version->is_null()) return std::nullopt;
    return version->get<std::int64_t>();
  }

  void require_open(const std::string& uri) const {
    if (!workspace_.documents().contains(uri)) refuse_params(fmt::format("'{}' is not open", uri));
  }

  assembler::AssembleOptions given_;
  Workspace workspace_;
  std::function<void(std::string_view message)> send_;
  std::filesystem::path root_ = ".";
  bool related_ = false;  // the client can show places related to a diagnostic
  bool initialized_ = false;
  bool shut_down_ = false;
  bool over_ = false;
  bool changed_ = false;
  std::map<std::string, json> published_;  // parameters, by URI
};

LanguageServer::LanguageServer(assembler::AssembleOptions options, std::function<void(std::string_view message)> send,
                               Compiler compiler)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(send), std::move(compiler))) {}
LanguageServer::~LanguageServer() = default;

bool LanguageServer::handle(std::string_view message) { return impl_->handle(message); }
void LanguageServer::settle() { impl_->settle(); }
bool LanguageServer::was_shut_down() const { return impl_->was_shut_down(); }

}  // namespace gdr::editor
