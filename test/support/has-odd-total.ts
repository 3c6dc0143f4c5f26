import { dataOfEvent, splitEvents } from './ask.ts'
import type { CorpusCase } from './corpus.ts'
import { countOf, type Fields, fieldsOf } from './judged.ts'

/** Reasoning or audio that is counted beside prompt and completion, named or not, the xAI way apart. */
export function hasOddTotal(recorded: CorpusCase): boolean {
  const usage = lastUsage(recorded)
  if (usage['prompt_tokens'] === undefined) return false
  const reasoning = countOf(fieldsOf(usage['completion_tokens_details'])['reasoning_tokens'])
  const output = countOf(usage['completion_tokens'])
  const unnamed = countOf(usage['total_tokens']) - countOf(usage['prompt_tokens']) - output
  return unnamed === 0 ? reasoning > output : unnamed !== reasoning
}

function lastUsage({ response }: CorpusCase): Fields {
  if (response.sse === undefined) return fieldsOf(fieldsOf(response.body)['usage'])
  const usages = splitEvents(response.sse).map((event) => fieldsOf(dataOfEvent(event))['usage'])
  return fieldsOf(usages.findLast((usage) => usage !== undefined && usage !== null))
}
