import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { type ConfigInput, configSchema } from '../config-schema.ts'
import { growPathTree, type PathTree } from '../path-tree.ts'
import type { ConfigPath } from '../source/read-yaml.ts'
import { writePath } from '../source/write-path.ts'
import { describeIssues } from './describe-issues.ts'

export interface SoundInput {
  readonly input: ConfigInput
  /** Maps a path of this input to the path of the same value in the document. */
  readonly restore: (path: ConfigPath) => ConfigPath
  /** The paths of the parts that were removed from the document. */
  readonly cuts: readonly ConfigPath[]
}

/**
 * Finds the largest valid part of a document, from the paths of its invalid values. A channel without a valid name is a
 * part of it, under another name, so that its other values are checked.
 */
export function findSoundInput(value: unknown, illFormed: readonly ConfigPath[]): SoundInput {
  const unnamed = illFormed.filter(isNameOfChannel)
  const document = nameChannels(isJsonObject(value) ? value : {}, unnamed)
  const rest = illFormed.filter((path) => !isNameOfChannel(path))
  const cuts = new Map(rest.map((path) => [writePath(path), path]))
  while (!cuts.has('')) {
    const part = keepSoundPart(document, cuts.values())
    const parsed = configSchema.safeParse(part.value)
    if (parsed.success)
      return { input: parsed.data, restore: part.restore, cuts: [...cuts.values(), ...unnamed] }
    for (const { path } of describeIssues(parsed.error.issues)) {
      const next = widen(part.restore(path), cuts)
      cuts.set(writePath(next), next)
    }
  }
  return { input: {}, restore: (path) => path, cuts: [[]] }
}

function isNameOfChannel([section, , field, ...below]: ConfigPath): boolean {
  return section === 'channels' && field === 'name' && below.length === 0
}

/** Gives each channel without a valid name one that no other channel has. */
function nameChannels(document: JsonObject, unnamed: readonly ConfigPath[]): JsonObject {
  const { channels } = document
  if (!isJsonArray(channels) || unnamed.length === 0) return document
  const indexes = new Set(unnamed.map(([, index]) => index))
  const known = new Set(channels.map((channel) => isJsonObject(channel) && channel['name']))
  const named = channels.map((channel, index) => {
    if (!indexes.has(index) || !isJsonObject(channel)) return channel
    let name = `channel-${index}`
    while (known.has(name)) name += '-'
    known.add(name)
    return { ...channel, name }
  })
  return { ...document, channels: named }
}

/** Widens a cut to the parent of the value, because removing a required value would make the parent invalid. */
function widen(path: ConfigPath, cuts: ReadonlyMap<string, ConfigPath>): ConfigPath {
  let widened = path
  while (widened.length > 0 && cuts.has(writePath(widened))) widened = widened.slice(0, -1)
  return widened
}

interface SoundPart {
  /** Undefined where the whole document is removed. */
  readonly value: JsonValue | undefined
  /** Maps a path of this part to the path of the same value in the whole document. */
  readonly restore: (path: ConfigPath) => ConfigPath
}

/** Removes the values at these paths from the document, so that the rest can be checked. */
function keepSoundPart(value: JsonValue, cuts: Iterable<ConfigPath>): SoundPart {
  const tree = growPathTree(cuts)
  const remainingItems = new Map<PathTree, readonly number[]>()
  return { value: prune(value, tree), restore }

  function prune(part: JsonValue, node: PathTree | undefined): JsonValue | undefined {
    if (node === undefined) return part
    if (node.isEnd) return undefined
    if (isJsonArray(part)) {
      const items = part.map((item, index) => prune(item, node.children.get(String(index))))
      remainingItems.set(
        node,
        items.flatMap((item, index) => (item === undefined ? [] : [index])),
      )
      return items.filter((item) => item !== undefined)
    }
    if (!isJsonObject(part)) return part
    const members = Object.entries(part).flatMap(([name, member]) => {
      const sound = member === undefined ? undefined : prune(member, node.children.get(name))
      return sound === undefined ? [] : [[name, sound] as const]
    })
    return Object.fromEntries(members)
  }

  function restore(path: ConfigPath): ConfigPath {
    let node: PathTree | undefined = tree
    return path.map((step) => {
      const remaining: readonly number[] | undefined = node && remainingItems.get(node)
      const original = remaining === undefined || typeof step !== 'number' ? step : (remaining[step] ?? step)
      node = node?.children.get(String(original))
      return original
    })
  }
}
