import { countOf, fieldsOf, type Gathered, listOf, textOf } from './judged.ts'

/** Reads a whole answer of Ollama's, or one line of a stream of it. */
export function gatherOllamaLine(gathered: Gathered, value: unknown): void {
  const line = fieldsOf(value)
  const message = fieldsOf(line['message'])
  if (line['error'] !== undefined) gathered.error = line['error']
  gathered.text += textOf(message['content']) + textOf(line['response'])
  gathered.thinking += textOf(message['thinking']) + textOf(line['thinking'])
  for (const call of listOf(message['tool_calls'])) {
    const { name, arguments: input } = fieldsOf(fieldsOf(call)['function'])
    gathered.calls.push({ name: textOf(name), input: JSON.stringify(input) })
  }
  if (line['done'] !== true) return
  gathered.isTerminated = true
  gathered.stop = textOf(line['done_reason'])
  if (typeof line['prompt_eval_count'] !== 'number') return
  gathered.usage = { input: line['prompt_eval_count'], cacheRead: 0, output: countOf(line['eval_count']) }
}
