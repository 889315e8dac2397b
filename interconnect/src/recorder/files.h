/* Files that the recorder writes. They appear when they are complete, replace no file before, and no file that is not
 * named is touched. Part of record.c, which includes it. */

/* A file that is being written under a name of its own beside its final one; devices and pipes are written in place. */
struct new_file {
  FILE* file;
  char* path;   /* while it is written; NULL: in place */
  char* target; /* links followed */
};

/* 0, or the error. `path` becomes a new name beside `target`, such as no user gives to a file. */
static int open_beside(const char* target, char** path) {
  enum { most_names = 100 }; /* of killed processes with the same number */
  for (int number = 0; number < most_names; ++number) {
    if (asprintf(path, "%s.gdr-%ld-%d.tmp", target, (long)getpid(), number) < 0) return -ENOMEM;
    const int descriptor = open(*path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor >= 0) return descriptor;
    const int error = errno;
    free(*path);
    *path = NULL;
    if (error != EEXIST) return -error;
  }
  return -EEXIST;
}

static void forget_file(struct new_file* fresh) {
  free(fresh->path);
  free(fresh->target);
  fresh->path = fresh->target = NULL;
  fresh->file = NULL;
}

/* 0, or the error. */
static int begin_file(struct new_file* fresh, const char* name) {
  struct stat about;
  const int is_there = stat(name, &about) == 0;
  fresh->file = NULL;
  fresh->path = NULL;
  fresh->target = is_there ? realpath(name, NULL) : strdup(name);
  if (fresh->target == NULL) return errno;
  int descriptor = is_there && S_ISDIR(about.st_mode) ? -EISDIR : 0;
  if (descriptor == 0 && is_there && !S_ISREG(about.st_mode)) {
    descriptor = open(fresh->target, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) descriptor = -errno;
  } else if (descriptor == 0) {
    descriptor = open_beside(fresh->target, &fresh->path);
  }
  if (descriptor >= 0) fresh->file = fdopen(descriptor, "w");
  const int error = descriptor < 0 ? -descriptor : fresh->file == NULL ? errno : 0;
  if (error != 0) forget_file(fresh);
  return error;
}

/* All of it is written, under its first name. 0, or the error; then nothing is left of it. */
static int close_file(struct new_file* fresh) {
  int error = fflush(fresh->file) != 0 ? errno : 0;
  if (error == 0 && ferror(fresh->file)) error = EIO;
  if (fclose(fresh->file) != 0 && error == 0) error = errno;
  fresh->file = NULL;
  if (error != 0 && fresh->path != NULL) unlink(fresh->path);
  if (error != 0) forget_file(fresh);
  return error;
}

/* Of a file that is closed: it takes its final name, or it is removed. 0, or the error. */
static int name_file(struct new_file* fresh, int is_wanted) {
  int error = 0;
  if (fresh->path != NULL && is_wanted && rename(fresh->path, fresh->target) != 0) error = errno;
  if (fresh->path != NULL && (!is_wanted || error != 0)) unlink(fresh->path);
  forget_file(fresh);
  return error;
}

/* 0 if begin_file() could write the file now, or the error. Nothing stays behind if the program is killed. */
static int try_file(const char* name) {
  struct stat about;
  if (stat(name, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)) {
    return access(name, W_OK) == 0 ? 0 : errno; /* to open a pipe would wait for its reader */
  }
  struct new_file fresh;
  int error = begin_file(&fresh, name);
  if (error == 0) error = close_file(&fresh);
  if (error == 0) error = name_file(&fresh, 0);
  return error;
}
