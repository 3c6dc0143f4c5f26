import fc from 'fast-check'
import { type FormatId, formatIds } from '../../src/canonical/format.ts'
import type { LossFeature } from '../../src/canonical/loss.ts'
import {
  type Choice,
  type LogProbs,
  type Reply,
  type StopReason,
  stopReasons,
} from '../../src/canonical/reply.ts'
import type { ChatRequest, Tool } from '../../src/canonical/request.ts'
import { type CommonTier, commonTiers, type ServedTier } from '../../src/canonical/served-tier.ts'
import { noUsage, type Usage } from '../../src/canonical/usage.ts'
import {
  type ArbitraryOptions,
  allows,
  cacheMarkArbitrary,
  extrasField,
  fieldWhere,
} from './arbitrary-options.ts'
import { assistantContentArbitrary } from './block-arbitraries.ts'
import {
  outputFormatArbitrary,
  reasoningArbitrary,
  toolChoiceArbitrary,
  toolsArbitrary,
} from './request-part-arbitraries.ts'
import { turnsArbitrary } from './turn-arbitraries.ts'
import { textArbitrary, wordArbitrary } from './value-arbitraries.ts'

const plain = { noNullPrototype: true } as const
const tenths = (from: number, to: number) => fc.integer({ min: from * 10, max: to * 10 }).map((n) => n / 10)

/** Canonical requests in normal form, as a reader gives them. */
export function chatRequestArbitrary(options: ArbitraryOptions = {}): fc.Arbitrary<ChatRequest> {
  const { format } = options
  const requiredKeys: ('model' | 'turns' | 'stream' | 'maxOutputTokens')[] = ['model', 'turns', 'stream']
  // The messages format demands a cap.
  if (format === 'messages') requiredKeys.push('maxOutputTokens')
  const where = <const Name extends string, Value>(
    feature: LossFeature,
    name: Name,
    value: fc.Arbitrary<Value>,
  ) => fieldWhere(allows(options, feature), name, value)
  const reasoning = reasoningArbitrary(options)
  const askedTiers = format === 'gemini' ? ['standard', 'flex', 'priority'] : ['auto', 'default']
  const request = fc.record(
    {
      model: wordArbitrary,
      turns: turnsArbitrary(options),
      stream: fc.boolean(),
      toolChoice: toolChoiceArbitrary(options),
      maxOutputTokens: fc.integer({ min: 1, max: 9999 }),
      ...where('parallel-tool-calls', 'parallelToolCalls', fc.boolean()),
      ...where('sampling', 'temperature', tenths(0, format === 'messages' ? 1 : 2)),
      ...where('sampling', 'topP', tenths(0, 1)),
      ...where('top-k', 'topK', fc.nat(99)),
      ...where('presence-penalty', 'presencePenalty', tenths(-2, 2)),
      ...where('frequency-penalty', 'frequencyPenalty', tenths(-2, 2)),
      ...where('seed', 'seed', fc.integer()),
      ...where('stop-sequences', 'stopSequences', fc.array(textArbitrary, { minLength: 1, maxLength: 2 })),
      ...where('choices', 'choices', fc.integer({ min: 1, max: 4 })),
      ...where('logprobs', 'logprobs', fc.boolean()),
      ...where('logprobs', 'topLogprobs', fc.nat(20)),
      ...where('logit-bias', 'logitBias', fc.constantFrom({ '50256': -100 }, { '1': 5, '2': -5 })),
      ...where('json-output', 'outputFormat', outputFormatArbitrary(options)),
      ...(reasoning === undefined ? {} : { reasoning }),
      ...where('verbosity', 'verbosity', fc.constantFrom('low', 'medium', 'high')),
      ...where('end-user', 'endUser', wordArbitrary),
      ...where('service-tier', 'serviceTier', fc.constantFrom(...askedTiers)),
      ...where('cache-mark', 'cache', cacheMarkArbitrary),
      ...extrasField(options, 'request'),
    },
    { requiredKeys, ...plain },
  )
  const tools = fc.option(toolsArbitrary(options), { nil: undefined })
  return fc.tuple(request, tools).map(joinRequest(options))
}

/** A choice among tools makes sense only with tools. */
function joinRequest(options: ArbitraryOptions) {
  return ([request, tools]: [ChatRequest, readonly Tool[] | undefined]): ChatRequest => {
    const { toolChoice, parallelToolCalls, ...asked } = request
    if (tools === undefined) return asked
    const offered = toolChoice === undefined ? { ...asked, tools } : { ...asked, tools, toolChoice }
    // The messages format says it inside the choice.
    const isCarried =
      options.format !== 'messages' || (toolChoice !== undefined && toolChoice.type !== 'none')
    return parallelToolCalls === undefined || !isCarried ? offered : { ...offered, parallelToolCalls }
  }
}

/** Canonical replies in normal form, as a reader gives them. */
export function replyArbitrary(options: ArbitraryOptions = {}): fc.Arbitrary<Reply> {
  const { format } = options
  const many = allows(options, 'choices') && format !== 'messages'
  const requiredKeys: ('id' | 'model' | 'choices' | 'createdAtSeconds')[] = ['id', 'model', 'choices']
  if (format === 'chat' || format === 'responses') requiredKeys.push('createdAtSeconds')
  return fc.record(
    {
      id: wordArbitrary.map((word) => `reply_${word}`),
      model: wordArbitrary,
      ...fieldWhere(format !== 'messages', 'createdAtSeconds', fc.nat(2_000_000_000)),
      choices: fc.array(choiceArbitrary(options), { minLength: 1, maxLength: many ? 2 : 1 }),
      usage: usageArbitrary(options),
      ...fieldWhere(allows(options, 'service-tier'), 'serviceTier', servedTierArbitrary(format)),
      ...extrasField(options, 'reply'),
    },
    { requiredKeys, ...plain },
  )
}

/** A tier that the format reports; without a format, one that any format does. */
function servedTierArbitrary(format: FormatId | undefined): fc.Arbitrary<ServedTier> {
  const owner = format === undefined ? fc.constantFrom(...formatIds) : fc.constant(format)
  const own = fc.record({ format: owner, word: wordArbitrary }, plain)
  return fc.oneof(fc.constantFrom(...tiersOf[format ?? 'any']), own)
}

const tiersOf: Readonly<Record<FormatId | 'any', readonly CommonTier[]>> = {
  chat: commonTiers,
  messages: ['standard', 'priority'],
  responses: commonTiers,
  gemini: ['standard', 'flex', 'priority'],
  any: commonTiers,
}

const stopReasonsOf: Readonly<Record<FormatId | 'any', readonly StopReason[]>> = {
  chat: ['end', 'length', 'tool-calls', 'content-filter'],
  messages: ['end', 'length', 'stop-sequence', 'tool-calls', 'refusal', 'pause', 'context-window'],
  responses: ['end', 'length', 'tool-calls', 'content-filter', 'refusal'],
  gemini: ['end', 'length', 'tool-calls', 'content-filter'],
  any: stopReasons,
}

function choiceArbitrary(options: ArbitraryOptions): fc.Arbitrary<Choice> {
  const { format } = options
  const choice = fc.record(
    {
      content: assistantContentArbitrary(options, 'reply'),
      stopReason: fc.constantFrom(...stopReasonsOf[format ?? 'any']),
      stopSequence: textArbitrary,
      ...fieldWhere(format !== 'messages' && allows(options, 'logprobs'), 'logprobs', logprobsArbitrary),
      ...extrasField(options, 'choice'),
    },
    { requiredKeys: format === undefined ? ['content'] : ['content', 'stopReason'], ...plain },
  )
  return choice.map(({ stopSequence, ...others }) =>
    stopSequence === undefined || others.stopReason !== 'stop-sequence'
      ? others
      : { ...others, stopSequence },
  )
}

const logprobEntry = fc.record(
  {
    token: textArbitrary,
    logprob: fc.integer({ min: -9, max: 0 }),
    bytes: fc.constant(null),
    top_logprobs: fc.constant([]),
  },
  plain,
)

const logprobsArbitrary: fc.Arbitrary<LogProbs> = fc.record(
  {
    content: fc.array(logprobEntry, { minLength: 1, maxLength: 2 }),
    refusal: fc.array(logprobEntry, { minLength: 1, maxLength: 2 }),
  },
  { requiredKeys: ['content'], ...plain },
)

/** Usage whose parts fit into their classes, as far as the format can tell them apart. */
export function usageArbitrary(options: ArbitraryOptions): fc.Arbitrary<Usage> {
  const count = fc.nat(999)
  const isFull = allows(options, 'usage-detail')
  const { format } = options
  const zero = fc.constant(0)
  const detail = (isKnown: boolean) => (isFull && isKnown ? count : zero)
  return fc
    .record(
      {
        freshInputTokens: count,
        cacheReadTokens: count,
        cacheWriteShortTokens: detail(format !== 'chat'),
        cacheWriteLongTokens: detail(format !== 'chat'),
        outputTokens: count,
        reasoningTokens: detail(format !== 'messages'),
        inputAudioTokens: detail(format !== 'messages'),
        cacheReadAudioTokens: detail(format !== 'messages' && format !== 'chat'),
        outputAudioTokens: detail(format !== 'messages'),
        outputImageTokens: detail(format !== 'messages'),
      },
      plain,
    )
    .map((usage) => {
      const reasoningTokens = Math.min(usage.reasoningTokens, usage.outputTokens)
      const said = usage.outputTokens - reasoningTokens
      const outputAudioTokens = Math.min(usage.outputAudioTokens, said)
      const cacheReadAudioTokens = Math.min(usage.cacheReadAudioTokens, usage.cacheReadTokens)
      return {
        ...noUsage,
        ...usage,
        reasoningTokens,
        cacheReadAudioTokens,
        inputAudioTokens: cacheReadAudioTokens + Math.min(usage.inputAudioTokens, usage.freshInputTokens),
        outputAudioTokens,
        outputImageTokens: Math.min(usage.outputImageTokens, said - outputAudioTokens),
      }
    })
}
