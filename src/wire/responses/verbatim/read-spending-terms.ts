import { watchedWords } from '../../../kit/json/watched-words.ts'
import { possibleTiers } from '../../requested-tier.ts'
import type { BilledTool, SpendingTerms } from '../../spending-terms.ts'
import {
  type BodySearch,
  fieldsMayHold,
  findBilledTools,
  findCacheMarks,
  type ToolWords,
  withoutVersion,
} from '../../verbatim/find-in-body.ts'
import { capOf, limitOf, readSent } from '../../verbatim/read-count.ts'
import type { ScannedRequest } from '../../wire-format.ts'

const media: BodySearch = {
  words: watchedWords({
    names: ['image_url', 'file_id', 'file_data', 'file_url'],
    types: ['input_image', 'input_file', 'input_audio', 'input_video', 'computer_screenshot', 'image'],
  }),
  pattern:
    /"type"\s*:\s*"(?:input_(?:image|file|audio|video)|computer_screenshot|image_generation_call)"|"(?:image_url|file_id|file_data|file_url)"\s*:/,
}
const storedItem: BodySearch = {
  words: watchedWords({ types: ['item_reference'] }),
  pattern: /"item_reference"/,
}
/** Finds input items that add tools. */
const addedTools: BodySearch = {
  words: watchedWords({ types: ['additional_tools'] }),
  pattern: /"additional_tools"/,
}

/** The tools that the caller runs; `namespace` groups functions of the caller. */
const toolWords: ToolWords = {
  ofCaller: /^(?:function|custom|namespace|local_shell|apply_patch|computer(?:_use_preview)?)$/,
  nameOf: withoutVersion,
}

const storedState = ['previous_response_id', 'conversation', 'prompt'] as const

/** Whether the answer is generated after the request has ended. */
export function isBackground(scanned: ScannedRequest): boolean {
  return readSent(scanned, 'background') === true
}

export function readSpendingTerms(scanned: ScannedRequest): SpendingTerms {
  const sent = (name: string) => readSent(scanned, name)
  return {
    maxOutputTokens: capOf([sent('max_output_tokens')]),
    canBeCapped: true,
    choices: 1,
    serviceTiers: possibleTiers('responses', sent('service_tier')),
    asksForAudio: false,
    toolCallCap: limitOf(sent('max_tool_calls')),
    billedTools: () => findTools(scanned),
    hasMedia: () => fieldsMayHold(scanned, ['input'], media),
    hasStoredInput: () =>
      storedState.some((name) => sent(name) !== undefined) || fieldsMayHold(scanned, ['input'], storedItem),
    cacheMarks: () => findCacheMarks(scanned),
  }
}

function findTools(scanned: ScannedRequest): readonly BilledTool[] {
  const named = findBilledTools(scanned, toolWords)
  if (!fieldsMayHold(scanned, ['input'], addedTools)) return named
  return [...named, { name: 'additional_tools', maxCalls: undefined }]
}
