import { isJsonArray, isJsonObject, type JsonValue } from '../kit/json/json.ts'
import { growPathTree, type PathTree } from './path-tree.ts'
import type { ConfigPath } from './source/read-yaml.ts'

export interface SoundPart {
  /** Undefined where the document as a whole is cut. */
  readonly value: JsonValue | undefined
  /** Leads a path of this part to where the same value stands in the whole document. */
  readonly restore: (path: ConfigPath) => ConfigPath
}

/** The document without the values at these paths, so that all else of it can be checked, too. */
export function keepSoundPart(value: JsonValue, cuts: Iterable<ConfigPath>): SoundPart {
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
