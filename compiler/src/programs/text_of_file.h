// The files that clang sees, of which one has a text in memory: its own file may be a pipe, which gives it once only.
#pragma once

#include <clang/Basic/FileManager.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <string>

namespace gdr::compiler {

/// `text` must live as long as the result.
inline llvm::IntrusiveRefCntPtr<clang::FileManager> files_with(const std::string& file, const std::string& text) {
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  auto overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
  overlay->pushOverlay(memory);
  memory->addFile(file, 0, llvm::MemoryBuffer::getMemBuffer(text));
  return new clang::FileManager(clang::FileSystemOptions(), overlay);
}

}  // namespace gdr::compiler
