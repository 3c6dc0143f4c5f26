import type { ChannelFormatId, FormatId } from '../src/canonical/format.ts'
import { type LossFeature, lossFeatures } from '../src/canonical/loss.ts'
import { chatFormat } from '../src/wire/chat/format.ts'
import { cohereFormat } from '../src/wire/cohere/format.ts'
import { converseFormat } from '../src/wire/converse/format.ts'
import { geminiFormat } from '../src/wire/gemini/format.ts'
import { messagesFormat } from '../src/wire/messages/format.ts'
import { responsesFormat } from '../src/wire/responses/format.ts'
import type { ChannelFormat, WireFormat } from '../src/wire/wire-format.ts'
import { type LossCaller, lossCallers } from './loss-callers.ts'
import {
  answerIn,
  askIn,
  type ProbedLoss,
  type ProbedLosses,
  type ProbeSize,
  probeReplies,
  probeRequests,
} from './probe-losses.ts'
import { renderTable } from './render-table.ts'

const bothSides: Readonly<Record<FormatId, WireFormat>> = {
  chat: chatFormat,
  messages: messagesFormat,
  responses: responsesFormat,
  gemini: geminiFormat,
}
const channels: Readonly<Record<ChannelFormatId, ChannelFormat>> = {
  ...bothSides,
  cohere: cohereFormat,
  converse: converseFormat,
}
export const channelFormats: readonly ChannelFormat[] = Object.values(channels)

const begin = '<!-- begin losses -->'
const end = '<!-- end losses -->'

/** Replaces the tables of losses of docs/translation/losses.md. */
export function renderTranslationDocs(document: string, size: ProbeSize): string {
  const from = document.indexOf(begin)
  const to = document.indexOf(end)
  if (from === -1 || to < from) throw new Error('docs/translation/losses.md has no section "losses"')
  return `${document.slice(0, from + begin.length)}\n\n${renderLosses(size)}\n\n${document.slice(to)}`
}

function renderLosses(size: ProbeSize): string {
  const answers = new Map(channelFormats.map((channel) => [channel, answerIn(channel, size)]))
  const sections = lossCallers.flatMap((caller) => {
    const requests = askIn(caller, size)
    const asked = channelFormats.map((channel) => ({ channel, losses: probeRequests(requests, channel) }))
    const answered = channelFormats.map((channel) => ({
      channel,
      losses: probeReplies(answers.get(channel) ?? [], caller),
    }))
    return [
      `### Requests of ${caller.id} callers`,
      renderPairs(caller, asked),
      `### Answers to ${caller.id} callers`,
      renderPairs(caller, answered),
    ]
  })
  return ['### Where a caller finds them', renderFields(), ...sections].join('\n\n')
}

/** Losses that none of the formats can have belong to other operations. */
export function renderFields(): string {
  const known = lossFeatures.filter((feature) =>
    channelFormats.some(({ possibleLosses }) => possibleLosses.includes(feature)),
  )
  const rows = known.map((feature) => [
    `\`${feature}\``,
    ...lossCallers.map((format) => `\`${format.paramOf({ feature, kind: 'dropped' })}\``),
  ])
  return renderTable(['Loss', ...lossCallers.map(({ id }) => `A ${id} caller’s field`)], rows)
}

interface Pair {
  readonly channel: ChannelFormat
  readonly losses: ProbedLosses
}

/** Leaves out pairs of equal formats, between which nothing is translated. */
function renderPairs({ ownChannel }: LossCaller, pairs: readonly Pair[]): string {
  const others = pairs.filter(({ channel }) => channel.id !== ownChannel)
  const known = lossFeatures.filter((feature) => others.some(({ losses }) => losses.has(feature)))
  const rows = known.map((feature) => [`\`${feature}\``, ...others.map((pair) => describe(pair, feature))])
  return renderTable(['Loss', ...others.map(({ channel }) => channel.id)], rows)
}

function describe({ losses }: Pair, feature: LossFeature): string {
  const loss = losses.get(feature)
  if (loss === undefined) return ''
  return `${kindsOf(loss)}${loss.isEverywhere ? '' : ', some'}`
}

function kindsOf({ kinds }: ProbedLoss): string {
  return (['dropped', 'approximated', 'defaulted'] as const).filter((kind) => kinds.has(kind)).join(' or ')
}
