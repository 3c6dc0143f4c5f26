import { isJsonArray, isJsonObject } from '../../../kit/json/json.ts'
import { watchedWords } from '../../../kit/json/watched-words.ts'
import { type CallerLabels, readTags } from '../../caller-labels.ts'
import { possibleTiers } from '../../requested-tier.ts'
import type { BilledTool, CacheMarks, SpendingTerms } from '../../spending-terms.ts'
import { type BodySearch, fieldsMayHold } from '../../verbatim/find-in-body.ts'
import { capOf, readInnerField, readSent } from '../../verbatim/read-count.ts'
import type { ScannedRequest } from '../../wire-format.ts'

const media: BodySearch = {
  words: watchedWords({ names: ['image', 'document', 'video', 'audio'] }),
  pattern: /"(?:image|document|video|audio)"\s*:\s*\{/,
}
const pointWords = watchedWords({ names: ['cachePoint'] })
const point: BodySearch = { words: pointWords, pattern: /"cachePoint"\s*:\s*\{/ }
const longPoint: BodySearch = { words: pointWords, pattern: /"1h"/ }
const holders = ['system', 'messages', 'toolconfig'] as const

export function readSpendingTerms(scanned: ScannedRequest): SpendingTerms {
  const inner = (outer: string, name: string) => readInnerField(readSent(scanned, outer), name)
  return {
    maxOutputTokens: capOf([inner('inferenceconfig', 'maxTokens')]),
    canBeCapped: true,
    choices: 1,
    serviceTiers: possibleTiers('converse', inner('servicetier', 'type')),
    asksForAudio: false,
    toolCallCap: undefined,
    billedTools: () => findSystemTools(inner('toolconfig', 'tools')),
    hasMedia: () => fieldsMayHold(scanned, holders, media),
    hasStoredInput: () => scanned.fields.has('promptvariables'),
    cacheMarks: () => findPoints(scanned),
  }
}

/** Finds the tools that Bedrock runs, with the names under which Bedrock counts their calls. */
function findSystemTools(tools: unknown): readonly BilledTool[] {
  const names = (isJsonArray(tools) ? tools : []).flatMap((tool) => {
    const name = isJsonObject(tool) ? readInnerField(tool['systemTool'], 'name') : undefined
    return typeof name === 'string' ? [name] : []
  })
  return [...new Set(names)].map((name) => ({ name, maxCalls: undefined }))
}

function findPoints(scanned: ScannedRequest): CacheMarks {
  if (!fieldsMayHold(scanned, holders, point)) return 'none'
  return fieldsMayHold(scanned, holders, longPoint) ? 'long' : 'short'
}

/** The tags of the request: `requestMetadata`, meant for Bedrock's invocation logs. The format has no user field. */
export function readCallerLabels(scanned: ScannedRequest): CallerLabels {
  return { endUser: undefined, tags: readTags(readSent(scanned, 'requestmetadata')) }
}
