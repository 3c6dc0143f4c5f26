import { type InputFact, type NamedKind, unknownName } from '../kit/schema/input-fact.ts'
import { nearestName } from '../kit/schema/nearest-name.ts'
import type { Channel } from './channel.ts'
import type { ModelEntry, TargetName } from './model-entry.ts'

export interface ModelProblem {
  /** The path below `models`, with the configuration's names. */
  readonly path: readonly (string | number)[]
  readonly message: string
  /** Undefined where the message alone says it. */
  readonly fact?: InputFact | undefined
}

type Fault = Pick<ModelProblem, 'message' | 'fact'>

/** Finds what could never be served, whatever the upstreams of `listed` channels list. */
export function findModelProblems(
  channels: readonly Channel[],
  entries: readonly ModelEntry[],
): readonly ModelProblem[] {
  const known = knowNames(channels, entries)
  return entries.flatMap((entry) => [
    ...findUnserved(entry, known),
    ...findTargetProblems(entry, known),
    ...findFallbackProblems(entry, known),
  ])
}

interface Known {
  readonly channels: ReadonlyMap<string, Channel>
  readonly entries: ReadonlyMap<string, ModelEntry>
  readonly publicNames: ReadonlySet<string>
  /** Whether an upstream's list may add any name. */
  readonly isOpen: boolean
}

function knowNames(channels: readonly Channel[], entries: readonly ModelEntry[]): Known {
  const served = channels.flatMap(({ models }) =>
    models.type === 'named' ? [...models.upstreamNames.keys()] : [],
  )
  const aliases = entries.filter(({ targets }) => targets !== undefined).map(({ publicName }) => publicName)
  return {
    channels: new Map(channels.map((channel) => [channel.name, channel])),
    entries: new Map(entries.map((entry) => [entry.publicName, entry])),
    publicNames: new Set([...served, ...aliases]),
    isOpen: channels.some(({ models }) => models.type === 'listed'),
  }
}

function findUnserved({ publicName, targets }: ModelEntry, known: Known): readonly ModelProblem[] {
  if (targets !== undefined || known.isOpen || known.publicNames.has(publicName)) return []
  const { hint, fact } = suggest({
    kind: 'model',
    typed: publicName,
    names: known.publicNames,
    otherwise: 'give it targets',
  })
  return [{ path: [publicName], message: `no channel serves "${publicName}"; ${hint}`, fact }]
}

function findTargetProblems({ publicName, targets = [] }: ModelEntry, known: Known): readonly ModelProblem[] {
  const seen = new Set<string>()
  return targets.flatMap((target, index) => {
    const text = `${target.channel}/${target.model}`
    const fault = seen.has(text) ? describeRepeated(text) : judgeTarget(target, known)
    seen.add(text)
    return fault === undefined ? [] : [{ path: [publicName, 'targets', index], ...fault }]
  })
}

function describeRepeated(text: string): Fault {
  return { message: `"${text}" is named twice; leave one out`, fact: { code: 'repeated', values: {} } }
}

function judgeTarget(target: TargetName, known: Known): Fault | undefined {
  const channel = known.channels.get(target.channel)
  if (channel === undefined) {
    const { hint, fact } = suggest({
      kind: 'channel',
      typed: target.channel,
      names: known.channels.keys(),
      otherwise: 'a target is written channel/model',
    })
    return { message: `there is no channel "${target.channel}"; ${hint}`, fact }
  }
  if (channel.models.type === 'listed' || channel.models.upstreamNames.has(target.model)) return undefined
  const { hint, fact } = suggest({
    kind: 'model',
    typed: target.model,
    names: channel.models.upstreamNames.keys(),
    otherwise: "add it to the channel's models",
  })
  return { message: `the channel "${channel.name}" has no model "${target.model}"; ${hint}`, fact }
}

function findFallbackProblems({ publicName, fallbacks }: ModelEntry, known: Known): readonly ModelProblem[] {
  return fallbacks.flatMap((fallback, index) => {
    const fault = judgeFallback(publicName, fallback, known)
    return fault === undefined ? [] : [{ path: [publicName, 'fallback', index], ...fault }]
  })
}

function judgeFallback(publicName: string, fallback: string, known: Known): Fault | undefined {
  if (!known.isOpen && !known.publicNames.has(fallback)) {
    const { hint, fact } = suggest({
      kind: 'model',
      typed: fallback,
      names: known.publicNames,
      otherwise: 'a fallback is a public name',
    })
    return { message: `there is no model "${fallback}"; ${hint}`, fact }
  }
  const circle = findReturn(publicName, fallback, known)
  if (circle === undefined || !isFirstOf(circle, known)) return undefined
  return {
    message: `fallbacks go in a circle: ${circle.join(' → ')}; break it`,
    fact: { code: 'fallback_circle', values: { models: circle } },
  }
}

/** Finds a cycle: the names from `publicName` through `fallback` back to `publicName`. */
function findReturn(publicName: string, fallback: string, known: Known): readonly string[] | undefined {
  const cameFrom = new Map<string, string>([[fallback, publicName]])
  for (const name of cameFrom.keys()) {
    if (name === publicName) return followBack(publicName, cameFrom)
    for (const next of known.entries.get(name)?.fallbacks ?? []) {
      if (!cameFrom.has(next)) cameFrom.set(next, name)
    }
  }
  return undefined
}

function followBack(publicName: string, cameFrom: ReadonlyMap<string, string>): readonly string[] {
  const path = [publicName]
  for (let name = cameFrom.get(publicName); name !== undefined; name = cameFrom.get(name)) {
    path.unshift(name)
    if (name === publicName) break
  }
  return path
}

/** Whether the cycle is reported here. It is reported once, at the first of its names in the configuration. */
function isFirstOf(circle: readonly string[], known: Known): boolean {
  for (const name of known.entries.keys()) if (circle.includes(name)) return name === circle[0]
  return true
}

interface Mistyped {
  readonly kind: NamedKind
  readonly typed: string
  readonly names: Iterable<string>
  readonly otherwise: string
}

interface Suggestion {
  readonly hint: string
  readonly fact: InputFact
}

function suggest({ kind, typed, names, otherwise }: Mistyped): Suggestion {
  const nearest = nearestName(typed, names)
  const hint = nearest === undefined ? otherwise : `did you mean "${nearest}"?`
  return { hint, fact: unknownName(kind, typed, nearest) }
}
