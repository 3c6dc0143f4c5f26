import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { lossCallers } from '../scripts/loss-callers.ts'
import { answerIn, askIn, type ProbedLosses, probeReplies, probeRequests } from '../scripts/probe-losses.ts'
import { channelFormats, renderFields } from '../scripts/render-translation-docs.ts'
import { lossFeatures } from '../src/canonical/loss.ts'

const root = new URL('../', import.meta.url)
const document = readFileSync(new URL('docs/translation/losses.md', root), 'utf8')
const folder = new URL('docs/translation/', root)
const pages = [
  readFileSync(new URL('docs/translation.md', root), 'utf8'),
  ...readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8')),
].join('\n')
const written = document.slice(
  document.indexOf('<!-- begin losses -->'),
  document.indexOf('<!-- end losses -->'),
)

/** Other requests and answers than those of which the tables were written. */
const size = { seed: 7, numRuns: 60 }

/** Where a cell lacks a kind, the test says which and how the tables are written. */
function lacking(heading: string, channel: string, found: ProbedLosses): readonly string[] {
  const column = tableOf(heading).get(channel)
  return [...found].flatMap(([feature, { kinds }]) =>
    [...kinds]
      .filter((kind) => column?.get(feature)?.includes(kind) !== true)
      .map(
        (kind) =>
          `${channel} is missing "${feature}: ${kind}" in the table "${heading}" of docs/translation/losses.md: run npx node scripts/write-translation-docs.ts`,
      ),
  )
}

/** The table below a heading, by channel and feature. */
function tableOf(heading: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const section = written.split('### ').find((text) => text.startsWith(`${heading}\n`))
  const [head = [], _rule, ...rows] = (section ?? '')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.slice(2, -2).split(' | '))
  return new Map(
    head
      .slice(1)
      .map((channel, index) => [
        channel,
        new Map(rows.map((cells) => [(cells[0] ?? '').replaceAll('`', ''), cells[index + 1]?.trim() ?? ''])),
      ]),
  )
}

describe('docs/translation/losses.md', () => {
  it('has every loss of any format, with the field in which each caller finds it', () => {
    expect(written).toContain(renderFields())
  })

  describe.each(lossCallers.map((caller) => [caller.id, caller] as const))('for %s callers', (id, caller) => {
    const others = channelFormats.filter((channel) => channel.id !== caller.ownChannel)

    it('has every loss of a request on every channel, and its kinds', () => {
      const requests = askIn(caller, size)
      expect(requests.length).toBeGreaterThan(size.numRuns)
      for (const channel of others) {
        const found = probeRequests(requests, channel)
        expect(lacking(`Requests of ${id} callers`, channel.id, found)).toEqual([])
      }
    })

    it('has every loss of an answer of every channel, and its kinds', () => {
      for (const channel of others) {
        const found = probeReplies(answerIn(channel, size), caller)
        expect(lacking(`Answers to ${id} callers`, channel.id, found)).toEqual([])
      }
    })

    it('has only losses that the format of the channel declares, or the caller’s for answers', () => {
      for (const channel of others) {
        const { possibleLosses } = channel
        for (const [feature, cell] of tableOf(`Requests of ${id} callers`).get(channel.id) ?? []) {
          if (cell !== '') expect(possibleLosses).toContain(feature)
        }
        for (const [feature, cell] of tableOf(`Answers to ${id} callers`).get(channel.id) ?? []) {
          if (cell !== '') expect(caller.possibleLosses).toContain(feature)
        }
      }
    })
  })

  it('has a page and a line in the map for every format of channels', () => {
    const index = readFileSync(new URL('docs/translation.md', root), 'utf8')
    const map = readFileSync(new URL('docs/architecture.md', root), 'utf8')
    const missing = channelFormats.flatMap(({ id }) => [
      ...(new RegExp(`\\(translation/(?:\\w+-)*${id}(?:-\\w+)*\\.md\\)`).test(index)
        ? []
        : [`${id} is missing in the pages of docs/translation.md`]),
      ...(map.includes(`\n    ${id}/ `) ? [] : [`${id} is missing in the tree of docs/architecture.md`]),
    ])
    expect(missing).toEqual([])
  })

  it('has pages that name only losses of the table, and only existing files', () => {
    const named = [...pages.matchAll(/; `([a-z-]+)(?:=[a-z]+)?` \|$/gm)].map((match) => match[1] ?? '')
    expect(named.length).toBeGreaterThan(10)
    for (const name of named) expect(lossFeatures).toContain(name)
    const paths = [...pages.matchAll(/`((?:src|test|scripts)\/[\w./-]+)`/g)].map((match) => match[1] ?? '')
    expect(paths.filter((path) => !existsSync(new URL(path, root)) && !path.includes('*'))).toEqual([])
  })
})
