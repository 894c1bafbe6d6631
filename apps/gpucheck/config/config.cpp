#include "config/config.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/text/sanitize.hpp"
#include "base/toml/toml_document.hpp"
#include "report/formats/formats.hpp"

namespace gpucheck::application {

namespace {

namespace fs = std::filesystem;
using Kind = TomlValue::Kind;
using Type = ConfigKey::Type;

constexpr std::string_view schema_name = "gpucheck.config/1";

std::string known_keys() {
  std::vector<std::string_view> names;
  for (const ConfigKey& key : config_keys()) names.push_back(key.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Parameters may be written as options are.
std::string underscored(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

/// Reads the settings of one table: the outermost, or a profile's.
class SettingsReader {
 public:
  SettingsReader(const std::string& path, bool of_profile)
      : path_(path), folder_(fs::path(path).parent_path()), of_profile_(of_profile) {}

  void read(const TomlValue& value) {
    const ConfigKey* const key = find_config_key(value.key);
    if (key == nullptr) {
      fail(value, fmt::format("there is no setting \"{}\"; there are: {}", one_line(value.key, 80), known_keys()));
    }
    if (key->type == Type::parameters || key->type == Type::outputs) return read_members(*key, value);
    add(*key, std::string(key->name), value, texts_of(*key, value));
  }

  [[nodiscard]] std::vector<ConfigSetting> take() { return std::move(settings_); }

  [[noreturn]] void fail(const TomlValue& value, std::string_view what) const {
    throw UsageError(fmt::format("{}:{}:{}: {}", path_, value.line, value.column, what));
  }

 private:
  [[noreturn]] void fail_type(const TomlValue& value, std::string_view expected) const {
    fail(value, fmt::format("\"{}\" must be {}, and is {}", one_line(value.key, 80), expected, kind_text(value.kind)));
  }

  void add(const ConfigKey& key, std::string name, const TomlValue& value, std::vector<std::string> texts) {
    if (std::ranges::find(settings_, name, &ConfigSetting::name) != settings_.end()) {
      fail(value, fmt::format("\"{}\" is given twice", one_line(name, 80)));
    }
    settings_.push_back({.key = &key,
                         .name = std::move(name),
                         .texts = std::move(texts),
                         .line = value.line,
                         .from_profile = of_profile_});
  }

  void read_members(const ConfigKey& key, const TomlValue& table) {
    if (table.kind != Kind::table) fail_type(table, "a table");
    for (const TomlValue& member : table.elements) {
      const std::string text = key.type == Type::outputs ? output_of(member) : parameter_of(member);
      add(key, fmt::format("{}.{}", key.name, key.type == Type::outputs ? member.key : underscored(member.key)), member,
          {text});
    }
  }

  std::string parameter_of(const TomlValue& value) const {
    const bool is_scalar = value.kind == Kind::text || value.kind == Kind::whole_number || value.kind == Kind::number ||
                           value.kind == Kind::truth;
    if (!is_scalar) fail_type(value, "text, a number, or true or false");
    if (value.key.empty() || value.key.find('=') != std::string::npos) fail(value, "no parameter can be called so");
    return value.text;
  }

  std::string output_of(const TomlValue& value) const {
    if (report::find_format(value.key) == nullptr) {
      std::vector<std::string_view> names;
      for (const report::Format& format : report::formats()) names.push_back(format.name);
      fail(value, fmt::format("\"{}\" is not a format of reports; there are: {}", one_line(value.key, 80),
                              fmt::join(names, ", ")));
    }
    const std::string path = text_of(value);
    return path == "-" ? path : beside(path);
  }

  std::string text_of(const TomlValue& value) const {
    if (value.kind != Kind::text) fail_type(value, "text");
    if (value.text.empty()) fail(value, fmt::format("\"{}\" is empty: give it a value, or leave it out", value.key));
    // An option of the command line cannot have one either.
    if (value.text.find('\0') != std::string::npos) fail(value, "there is a NUL character in it");
    return value.text;
  }

  std::vector<std::string> texts_of(const ConfigKey& key, const TomlValue& value) const {
    switch (key.type) {
      case Type::whole_number:
        return {number_of(key, value)};
      case Type::truth:
        if (value.kind != Kind::truth) fail_type(value, "true or false");
        return {value.text};
      case Type::texts:
        return list_of(value);
      case Type::paths: {
        std::vector<std::string> paths = list_of(value);
        std::ranges::transform(paths, paths.begin(), [this](const std::string& path) { return beside(path); });
        return paths;
      }
      case Type::path:
        return {beside(text_of(value))};
      default:
        return {choice_of(key, value)};
    }
  }

  std::string number_of(const ConfigKey& key, const TomlValue& value) const {
    const std::string expected = fmt::format("a whole number from {} to {}", key.minimum, key.maximum);
    if (value.kind != Kind::whole_number) fail_type(value, expected);
    const std::int64_t number = std::stoll(value.text);
    if (number >= key.minimum && number <= key.maximum) return value.text;
    fail(value, fmt::format("\"{}\" must be {}, and is {}", key.name, expected, number));
  }

  std::vector<std::string> list_of(const TomlValue& value) const {
    if (value.kind != Kind::list) fail_type(value, "a list of texts");
    std::vector<std::string> texts;
    for (TomlValue element : value.elements) {
      element.key = value.key;
      texts.push_back(text_of(element));
    }
    return texts;
  }

  std::string choice_of(const ConfigKey& key, const TomlValue& value) const {
    std::string text = text_of(value);
    const bool is_library = key.option == "--allocator" && text != "caching" && text != "async";
    if (is_library) return beside(text);
    if (key.choices.empty() || std::ranges::find(key.choices, text) != key.choices.end()) return text;
    fail(value,
         fmt::format("\"{}\" is \"{}\"; it can be: {}", key.name, one_line(text, 80), fmt::join(key.choices, ", ")));
  }

  std::string beside(const std::string& path) const { return (folder_ / path).lexically_normal(); }

  const std::string& path_;
  fs::path folder_;
  bool of_profile_;
  std::vector<ConfigSetting> settings_;
};

void check_schema(const SettingsReader& reader, const TomlValue& value) {
  if (value.kind == Kind::text && value.text == schema_name) return;
  reader.fail(value,
              fmt::format("\"schema\" must be \"{}\": another version of gpucheck reads this file", schema_name));
}

/// What the profile says goes before what stands above.
void put_before(std::vector<ConfigSetting>& settings, std::vector<ConfigSetting> profile) {
  for (ConfigSetting& one : profile) {
    const auto found = std::ranges::find(settings, one.name, &ConfigSetting::name);
    if (found == settings.end()) {
      settings.push_back(std::move(one));
    } else {
      *found = std::move(one);
    }
  }
}

std::vector<ConfigSetting> read_profile(const std::string& path, const TomlValue& profile) {
  SettingsReader reader(path, true);
  if (profile.kind != Kind::table) reader.fail(profile, "a profile must be a table: write [profile.NAME] above it");
  for (const TomlValue& value : profile.elements) reader.read(value);
  return reader.take();
}

void read_profiles(Config& config, const TomlValue& table, const std::string& chosen) {
  if (table.kind != Kind::table)
    SettingsReader(config.path, true).fail(table, "\"profile\" must be a table of profiles");
  for (const TomlValue& profile : table.elements) {
    std::vector<ConfigSetting> settings = read_profile(config.path, profile);
    config.profiles.push_back(profile.key);
    if (profile.key == chosen) put_before(config.settings, std::move(settings));
  }
}

}  // namespace

std::string ConfigSetting::member() const {
  const std::size_t dot = name.find('.');
  return dot == std::string::npos ? "" : name.substr(dot + 1);
}

std::string ConfigSetting::value() const { return fmt::format("{}", fmt::join(texts, " ")); }

Config read_config(const ConfigFile& file, const std::string& profile) {
  const TomlValue document = parse_toml(file.text, file.path);
  Config config{.path = file.path, .profile = profile, .profiles = {}, .settings = {}};
  SettingsReader reader(config.path, false);
  const TomlValue* profiles = nullptr;
  for (const TomlValue& value : document.elements) {
    if (value.key == "profile") {
      profiles = &value;
    } else if (value.key == "schema") {
      check_schema(reader, value);
    } else {
      reader.read(value);
    }
  }
  config.settings = reader.take();
  if (profiles != nullptr) read_profiles(config, *profiles, profile);
  if (profile.empty() || std::ranges::find(config.profiles, profile) != config.profiles.end()) return config;
  throw UsageError(fmt::format(
      "{} has no profile \"{}\"; {}", file.path, profile,
      config.profiles.empty() ? "it has none at all" : fmt::format("it has: {}", fmt::join(config.profiles, ", "))));
}

std::optional<Config> load_config(const ConfigChoice& choice) {
  const std::optional<ConfigFile> file = find_config(choice);
  if (file) return read_config(*file, choice.profile);
  if (choice.profile.empty()) return std::nullopt;
  throw UsageError(
      fmt::format("--profile {}: there is no gpucheck.toml from the working directory upward; --config FILE "
                  "names one",
                  choice.profile));
}

}  // namespace gpucheck::application
