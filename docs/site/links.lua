-- Links between Markdown files become links between pages. A link to another file of the project keeps its text alone, for
-- that file is no page. A link to nothing ends the build.
-- The page's title is its first heading.
-- Metadata: page (the page's path in the project), pages (all pages' paths, between spaces), project (its root), heading (for
-- a page that has none of its own).

local page, project
local is_page = {}

local function normalised(path)
  local parts = {}
  for part in path:gmatch("[^/]+") do
    if part == ".." then
      if #parts == 0 then return nil end
      table.remove(parts)
    elseif part ~= "." then
      table.insert(parts, part)
    end
  end
  return table.concat(parts, "/")
end

local function exists(path)
  local file = io.open(path, "r")
  if file then file:close() end
  return file ~= nil
end

-- The file or folder of the project that a page's relative path leads to, or nil.
local function destination(path)
  return normalised((page:match("^(.*/)[^/]*$") or "") .. path)
end

local function refuse(target)
  error(page .. " links to " .. target .. ", which does not exist")
end

local function html_name(path)
  return (path:gsub("README%.md$", "index.html"):gsub("%.md$", ".html"):gsub("%.bib$", ".html"))
end

local function is_elsewhere(target)
  return target:match("^%a[%w+.-]*:") ~= nil
end

local function image(element)
  local wanted = destination(element.src)
  if not is_elsewhere(element.src) and not (wanted and exists(project .. "/" .. wanted)) then refuse(element.src) end
end

local function link(element)
  local target = element.target
  if is_elsewhere(target) or target:match("^#") then return nil end
  local path, fragment = target:match("^([^#]*)(#?.*)$")
  local wanted = destination(path)
  if wanted and is_page[wanted] then
    element.target = html_name(path) .. fragment
    return element
  end
  if wanted and is_page[wanted .. "/README.md"] then
    element.target = path:gsub("/*$", "/index.html") .. fragment
    return element
  end
  if wanted and exists(project .. "/" .. wanted) then return element.content end
  refuse(target)
end

local function read_metadata(meta)
  page = pandoc.utils.stringify(meta.page)
  project = pandoc.utils.stringify(meta.project)
  for name in pandoc.utils.stringify(meta.pages):gmatch("%S+") do is_page[name] = true end
end

local function set_title(document)
  if document.meta.heading then
    table.insert(document.blocks, 1, pandoc.Header(1, pandoc.utils.stringify(document.meta.heading)))
  end
  for _, block in ipairs(document.blocks) do
    if block.t == "Header" and block.level == 1 then
      document.meta.pagetitle = pandoc.utils.stringify(block)
      return document
    end
  end
  error(page .. " has no first heading")
end

return { { Meta = read_metadata }, { Link = link, Image = image }, { Pandoc = set_title } }
