import { isJsonArray } from '../../../kit/json/json.ts'
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
import { capOf, countOf, limitOf, readInnerField, readSent } from '../../verbatim/read-count.ts'
import type { ScannedRequest } from '../../wire-format.ts'

/** Parts of content other than text, by the type names of OpenAI and of other servers of the format. */
const media: BodySearch = {
  words: watchedWords({
    names: ['image_url', 'input_audio', 'video_url', 'document_url', 'file_id', 'file_data'],
    types: ['image', 'file', 'input_', 'video', 'audio', 'document'],
  }),
  pattern:
    /"type"\s*:\s*"(?:image|file|input_|video|audio|document)|"(?:image_url|input_audio|video_url|document_url|file_id|file_data)"\s*:/,
}

const toolWords: ToolWords = { ofCaller: /^(?:function|custom)$/, nameOf: withoutVersion }

export function readSpendingTerms(scanned: ScannedRequest): SpendingTerms {
  const sent = (name: string) => readSent(scanned, name)
  return {
    maxOutputTokens: capOf([sent('max_completion_tokens'), sent('max_tokens')]),
    canBeCapped: true,
    choices: Math.max(countOf(sent('n')), countOf(sent('best_of'))),
    serviceTiers: possibleTiers('chat', sent('service_tier')),
    asksForAudio: asksForAudio(sent('modalities')) || sent('audio') !== undefined,
    toolCallCap: undefined,
    billedTools: () => findTools(scanned),
    hasMedia: () => fieldsMayHold(scanned, ['messages'], media),
    hasStoredInput: () => false,
    cacheMarks: () => findCacheMarks(scanned),
  }
}

function asksForAudio(modalities: unknown): boolean {
  return isJsonArray(modalities) && modalities.includes('audio')
}

/** Searches can also be requested in separate fields: OpenAI's, xAI's and OpenRouter's. */
function findTools(scanned: ScannedRequest): readonly BilledTool[] {
  const named = findBilledTools(scanned, toolWords)
  const search = readSent(scanned, 'web_search_options') ?? readSent(scanned, 'plugins')
  const sources = readSent(scanned, 'search_parameters')
  if (search === undefined && sources === undefined) return named
  const maxSources = limitOf(readInnerField(sources, 'max_search_results'))
  return [
    ...named,
    ...(search === undefined ? [] : [{ name: 'web_search', maxCalls: undefined }]),
    ...(sources === undefined ? [] : [{ name: 'num_sources_used', maxCalls: maxSources }]),
  ]
}
