import { type FormatId, formatIds } from '../../src/canonical/format.ts'
import { channelYaml } from './channel-yaml.ts'
import type { CorpusCase } from './corpus.ts'
import { fieldsOf } from './judged.ts'
import { answerOfCase, openScriptedUpstream, type RecordedRequest } from './scripted-upstream.ts'
import { type StartedGateway, startGateway } from './start-gateway.ts'

export interface CorpusReplay extends AsyncDisposable {
  readonly gateway: StartedGateway
}

export type CasesByFormat = Readonly<Partial<Record<FormatId, readonly CorpusCase[]>>>

/** The public name under which a case is asked for. */
export function modelOfCase(format: FormatId, index: number): string {
  return `${format}-${index}`
}

/**
 * Fields that steer an upstream or name what it keeps; recorded requests have them, so the channels let them through.
 */
const allowedFields = [
  'models',
  'provider',
  'transforms',
  'route',
  'fallbacks',
  'plugins',
  'previous_response_id',
]

/**
 * One gateway with a channel for each format, and what else its file says; its upstream answers each model's
 * name with that case's recording.
 */
export async function openCorpusReplay(cases: CasesByFormat, moreOfFile = ''): Promise<CorpusReplay> {
  await using cleanup = new AsyncDisposableStack()
  const { origin } = cleanup.use(
    await openScriptedUpstream((request) => answerOfCase(findCase(cases, request))),
  )
  const channel = (format: FormatId) => ({
    format,
    origin,
    models: (cases[format] ?? []).map((_case, index) => modelOfCase(format, index)),
    // A recorded fault says nothing of the next recording.
    more: `allow_fields: ${JSON.stringify(allowedFields)}\n    breaker: off`,
  })
  const channels = formatIds.filter((format) => (cases[format] ?? []).length > 0).map(channel)
  const yaml = `${channelYaml(...channels)}retry: { attempts: 1 }\n${moreOfFile}`
  const gateway = cleanup.use(await startGateway(yaml))
  const open = cleanup.move()
  return { gateway, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

function findCase(cases: CasesByFormat, { body }: RecordedRequest): CorpusCase {
  const [name, index] = String(fieldsOf(JSON.parse(body.toString('utf8')))['model']).split('-')
  const format = formatIds.find((id) => id === name)
  const found = format === undefined ? undefined : cases[format]?.[Number(index)]
  if (found === undefined) throw new Error('no case of this name')
  return found
}

/** Goes through all, a few at a time. */
export async function forEachAtOnce<Item>(
  items: readonly Item[],
  atOnce: number,
  act: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  const queue = items.entries()
  const work = async () => {
    for (const [index, item] of queue) await act(item, index)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}
