// Exercises of the course, and verdicts on kernels that solve them.
#include "gdr/course/judge.h"

#include "answers.h"
#include "gdr/base/error.h"

namespace gdr::web {

Json exercises() {
  Json list = Json::array();
  for (const std::string& name : course::exercise_names()) {
    const course::Exercise exercise = course::load_exercise(name);
    list.push_back({{"name", name},
                    {"number", exercise.number},
                    {"title", exercise.title},
                    {"task", exercise.task},
                    {"start", course::starting_source(exercise)},
                    {"hints", exercise.hints},
                    {"par", exercise.par},
                    {"par_least_lines", exercise.bound}});
  }
  return {{"exercises", list}};
}

Json judge(const std::string& exercise, const Source& source, std::uint64_t seed) {
  // Kernels are judged as they are written, here as by gdr judge.
  if (source.options.schedule.level != assembler::ScheduleLevel::none) {
    throw Error("request: schedule: kernels are judged as they are written, without packing");
  }
  const course::Exercise asked = course::load_exercise(exercise);
  Built made = built(source);
  const course::Submission submission{source.text, std::move(made.assembled.program), std::move(made.messages)};
  const course::Verdict verdict = course::judge(asked, submission, {seed, 1});
  Json answer;
  course::add_fields(answer, verdict, asked);
  answer["text"] = course::text_of(verdict, asked);
  return answer;
}

}  // namespace gdr::web
