import type { AssistantBlock } from '../../canonical/content.ts'
import type { Turn } from '../../canonical/request.ts'
import { hashText, mixHashes } from '../../kit/bytes/hash.ts'
import { parseJson } from '../../kit/json/parse-json.ts'

/**
 * Distinguishes an answer that called tools from others whose calls have the same ids: by what was said right before it, and by
 * what it called. The same when its caller returns it, since both are read by the same reader; undefined where it called
 * nothing.
 */
export function fingerprintToolCalls(
  before: Turn | undefined,
  content: readonly AssistantBlock[],
): number | undefined {
  const calls = content.filter((block) => block.type === 'tool-call')
  if (calls.length === 0) return undefined
  let mark = hashText(before === undefined ? '' : wordsOf(before))
  for (const { name, input } of calls) mark = mixHashes(mark, hashText(`${name} ${normalise(input)}`))
  return mark
}

/** The beginning of each text; its length stands for the rest. */
const MOST_CHARACTERS = 1_024

/** Pictures and marks for caches say nothing here; clients leave them out or move them. */
function wordsOf(turn: Turn): string {
  const blocks = turn.role === 'tool' ? turn.results.flatMap(({ content }) => content) : turn.content
  const texts = blocks.map((block) => (block.type === 'text' ? block.text : ''))
  return texts.map((text) => `${text.length} ${text.slice(0, MOST_CHARACTERS)}`).join('\n')
}

/** Formats that hand calls over as objects bring them back in other spacing. */
function normalise(input: string): string {
  try {
    return JSON.stringify(parseJson(input === '' ? '{}' : input))
  } catch {
    return input
  }
}
