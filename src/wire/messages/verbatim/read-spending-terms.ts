import type { ServedTier } from '../../../canonical/served-tier.ts'
import { watchedWords } from '../../../kit/json/watched-words.ts'
import { type CallerLabels, readEndUser } from '../../caller-labels.ts'
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
import { capOf, readInnerField, readSent } from '../../verbatim/read-count.ts'
import type { ScannedRequest } from '../../wire-format.ts'

const media: BodySearch = {
  words: watchedWords({ types: ['image', 'document', 'container_upload', 'browser_state'] }),
  pattern: /"type"\s*:\s*"(?:image|document|container_upload|browser_state)"/,
}
/** Searches for a block of the conversation that adds tools. */
const addedTools: BodySearch = {
  words: watchedWords({ types: ['tool_addition'] }),
  pattern: /"tool_addition"/,
}

/** The tools that the caller runs (@anthropic-ai/sdk 1.11.0, seen 2026-11-23). */
const toolWords: ToolWords = {
  ofCaller: /^(?:custom|(?:bash|text_editor|computer|computer_toolset|browser_toolset|memory)_\d+)$/,
  nameOf: withoutVersion,
}

export function readSpendingTerms(scanned: ScannedRequest): SpendingTerms {
  const sent = (name: string) => readSent(scanned, name)
  return {
    // A cap of 0 fills the prompt cache and generates nothing.
    maxOutputTokens: capOf([sent('max_tokens')], 0),
    canBeCapped: true,
    choices: 1,
    serviceTiers: readTiers(sent('service_tier'), sent('speed')),
    asksForAudio: false,
    toolCallCap: undefined,
    billedTools: () => findTools(scanned),
    hasMedia: () => fieldsMayHold(scanned, ['messages', 'system'], media),
    hasStoredInput: () => ['thread', 'container'].some((name) => sent(name) !== undefined),
    cacheMarks: () => findCacheMarks(scanned),
  }
}

/**
 * The tiers that the request may be billed at. `speed` is separate from the tier and has its own price
 * (`MessageCreateParams.speed`, @anthropic-ai/sdk 1.11.0).
 */
function readTiers(word: unknown, speed: unknown): readonly ServedTier[] {
  const tiers = possibleTiers('messages', word)
  return speed === undefined || speed === 'standard' ? tiers : ['fast', ...tiers]
}

function findTools(scanned: ScannedRequest): readonly BilledTool[] {
  const named = [...findBilledTools(scanned, toolWords)]
  if (readSent(scanned, 'mcp_servers') !== undefined) named.push({ name: 'mcp', maxCalls: undefined })
  if (fieldsMayHold(scanned, ['messages'], addedTools))
    named.push({ name: 'tool_addition', maxCalls: undefined })
  return named
}

/** The end user of the request. In this format `metadata` has no other member than the user's ID. */
export function readCallerLabels(scanned: ScannedRequest): CallerLabels {
  return { endUser: readEndUser(readInnerField(readSent(scanned, 'metadata'), 'user_id')), tags: {} }
}
