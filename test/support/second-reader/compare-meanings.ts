import { isDeepStrictEqual } from 'node:util'
import type { Meaning, ReasoningMeaning } from './meaning.ts'

/** One entry of the header that tells what a request lost. */
export interface DeclaredLoss {
  readonly feature: string
  readonly field: string
}

/** Reads `feature=kind` and `feature(field)=kind`, as `x-headgate-loss` lists them. */
export function readLossHeader(header: string): readonly DeclaredLoss[] {
  return [...header.matchAll(/([a-z-]+)(?:\(([^)]*)\))?=[a-z]+/g)].map(([, feature = '', field = '']) => ({
    feature,
    field,
  }))
}

/** The losses under which each part of a request may differ. */
const excuses: Readonly<Record<Exclude<keyof Meaning, 'others'>, readonly string[]>> = {
  system: ['system-position', 'json-output', 'foreign-block'],
  roles: [
    'system-position',
    'turn-order',
    'tool-result-content',
    'foreign-block',
    'thinking',
    'audio',
    'image',
  ],
  texts: [
    'tool-result-content',
    'turn-order',
    'refusal',
    'audio',
    'document',
    'search-result',
    'system-position',
    'foreign-block',
  ],
  images: ['image', 'image-detail'],
  documents: ['document'],
  sounds: ['audio'],
  videos: ['video'],
  thoughts: ['thinking', 'thinking-signature', 'redacted-thinking'],
  calls: ['tool-input', 'custom-tool', 'tool-name'],
  results: ['tool-result-content', 'tool-result-error', 'search-result'],
  names: ['participant-name'],
  tools: [
    'foreign-tool',
    'custom-tool',
    'tool-strict',
    'allowed-tools',
    'tool-name',
    // Models without schemas get JSON demanded as a call.
    'json-output',
    'foreign-field(tools.input_schema)',
    'foreign-field(tools.parameters.properties)',
  ],
  toolChoice: ['tool-choice', 'allowed-tools', 'json-output'],
  isParallel: ['parallel-tool-calls', 'json-output'],
  isStream: [],
  maxTokens: ['max-output-tokens'],
  temperature: ['sampling()'],
  topP: ['sampling(top_p)'],
  topK: ['top-k'],
  stops: ['stop-sequences'],
  reasoning: [
    'reasoning-effort',
    'reasoning-budget',
    'reasoning-display',
    'thinking-mode',
    'foreign-field(reasoning_effort)',
  ],
  output: ['json-output'],
  user: ['end-user'],
  serviceTier: ['service-tier'],
  cacheMarks: ['cache-mark', 'foreign-field(cache_control)', 'foreign-field(messages.cache_control)'],
}

/** Fields of one format alone that have a loss of their own. */
const namedLosses: Readonly<Record<string, string>> = {
  n: 'choices',
  presence_penalty: 'presence-penalty',
  frequency_penalty: 'frequency-penalty',
  seed: 'seed',
  logprobs: 'logprobs',
  top_logprobs: 'logprobs',
  logit_bias: 'logit-bias',
  verbosity: 'verbosity',
}

export interface Comparison {
  readonly caller: Meaning
  readonly upstream: Meaning
  readonly losses: readonly DeclaredLoss[]
}

export interface Differences {
  /** The differences that no loss declares: the parts by their names, fields by their paths. */
  readonly silent: readonly string[]
  /** Parts that differ as the losses say. */
  readonly declared: readonly string[]
}

export function compareMeanings({ caller, upstream, losses }: Comparison): Differences {
  const named = new Set(losses.flatMap(({ feature, field }) => [feature, `${feature}(${field})`]))
  const differing = Object.keys(excuses)
    .filter(isPart)
    .filter((name) => !isSame(name, caller, upstream))
  const declared = differing.filter((name) => excuses[name].some((loss) => named.has(loss)))
  const gone = caller.others.filter((path) => !upstream.others.includes(path) && !isDeclared(path, losses))
  const made = upstream.others.filter((path) => !caller.others.includes(path))
  const silent = [
    ...differing.filter((name) => !declared.includes(name)),
    ...gone.map((path) => `gone: ${path}`),
    ...made.map((path) => `made up: ${path}`),
  ]
  return { silent, declared }
}

function isPart(name: string): name is keyof typeof excuses {
  return Object.hasOwn(excuses, name)
}

function isSame(name: keyof typeof excuses, caller: Meaning, upstream: Meaning): boolean {
  if (name === 'reasoning') return isSameReasoning(caller.reasoning, upstream.reasoning)
  return isDeepStrictEqual(caller[name], upstream[name])
}

/** Compares reasoning: not to think needs no word where the model does not. */
function isSameReasoning(asked: ReasoningMeaning, said: ReasoningMeaning): boolean {
  const isSilent = said.effort === undefined && said.budget === undefined
  return isDeepStrictEqual(asked, said) || (asked.isOff && isSilent)
}

function isDeclared(path: string, losses: readonly DeclaredLoss[]): boolean {
  const block = /^part\.(.*)$/.exec(path)?.[1]
  return losses.some(({ feature, field }) => {
    if (block !== undefined) return feature === 'foreign-block' && field === block
    if (feature === 'citations') return path === 'messages.content.citations'
    // The fields that a message of the responses format has of its own stand on its blocks.
    const isOfItem = path === field.replace(/^messages\.content\.message\./, 'input.')
    if (feature === 'foreign-field') return field === path || isOfItem
    return namedLosses[path] === feature
  })
}
