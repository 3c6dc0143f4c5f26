import type { JsonObject } from '../../../kit/json/json.ts'
import { scalarText } from '../../../kit/json/scalar-text.ts'
import { contentOf, identitiesOf, kindOf, type StreamItem, saidBy } from '../reply/stream-items.ts'

/**
 * Finds for each item of the final `output` the item of the stream that it repeats. Positions are not compared: a
 * provider may leave hidden items out of either list (https://github.com/openai/openai-python/issues/3125). Items are
 * matched by ID first. Where a server sends other IDs at the end (vLLM does, recorded 2026), items of one kind with the
 * same content match. Where IDs are missing, the order decides.
 */
export function matchOutput(
  streamed: readonly StreamItem[],
  output: readonly JsonObject[],
): ReadonlyMap<JsonObject, StreamItem> {
  const matches = new Map<JsonObject, StreamItem>()
  const byId = new Candidates(streamed, ({ identities }) => identities)
  match(output, matches, (item) => byId.claim(identitiesOf(item)))
  // If one ID is the same in both lists, IDs of that kind of item are reliable: a different ID is a different item.
  // OpenRouter repeats the IDs of messages and makes new ones for reasoning (recorded 2025). An item without an ID
  // still matches any.
  const stableKinds = new Set([...matches.keys()].map(kindOf))
  const mayBe = (one: StreamItem, item: JsonObject) =>
    !(stableKinds.has(kindOf(item)) && one.identities.length > 0 && hasId(item))
  const left = streamed.filter((one) => !byId.used.has(one))
  if (left.length === 0) return matches
  const byContent = new Candidates(left, ({ content }) => (content === undefined ? [] : [content]))
  match(output, matches, (item) => byContent.claim([contentOf(item)], (one) => mayBe(one, item)))
  const open = new Candidates(left, ({ item, content }) => (content === undefined ? [kindOf(item)] : []))
  match(output, matches, (item) => open.claim([kindOf(item)], (one) => mayBe(one, item) && begins(one, item)))
  const unnamed = new Candidates(
    left.filter((one) => !byContent.used.has(one) && !open.used.has(one)),
    ({ item }) => [kindOf(item)],
  )
  match(output, matches, (item) =>
    unnamed.claim([kindOf(item)], (one) => !(one.identities.length > 0 && hasId(item))),
  )
  return matches
}

function match(
  output: readonly JsonObject[],
  matches: Map<JsonObject, StreamItem>,
  find: (item: JsonObject) => StreamItem | undefined,
): void {
  for (const item of output) {
    const found = matches.has(item) ? undefined : find(item)
    if (found !== undefined) matches.set(item, found)
  }
}

/** Items under each of their names, in the order of the stream. Each item is used once. */
class Candidates {
  readonly used = new Set<StreamItem>()
  readonly #byName = new Map<string, StreamItem[]>()

  constructor(items: readonly StreamItem[], namesOf: (item: StreamItem) => readonly string[]) {
    for (const item of items.toReversed()) {
      for (const name of namesOf(item)) {
        const known = this.#byName.get(name)
        if (known === undefined) this.#byName.set(name, [item])
        else known.push(item)
      }
    }
  }

  /** Returns the first unused item under one of the names, if it is acceptable. */
  claim(
    names: readonly string[],
    accepts: (item: StreamItem) => boolean = () => true,
  ): StreamItem | undefined {
    for (const name of names) {
      const queue = this.#byName.get(name) ?? []
      let last = queue.at(-1)
      while (last !== undefined && this.used.has(last)) {
        queue.pop()
        last = queue.at(-1)
      }
      if (last !== undefined && accepts(last)) {
        queue.pop()
        this.used.add(last)
        return last
      }
    }
    return undefined
  }
}

function hasId(item: JsonObject): boolean {
  return identitiesOf(item).length > 0
}

/** Whether the content that arrived so far for an open item is the beginning of the whole item. */
function begins({ item, blocks }: StreamItem, whole: JsonObject): boolean {
  const said = [...blocks.values()]
    .map((block) => block.said)
    .join('\n\n')
    .trim()
  const isCall = typeof item['name'] === 'string'
  return saidBy(whole).startsWith(isCall ? `${scalarText(item['name'])} ${said}` : said)
}
