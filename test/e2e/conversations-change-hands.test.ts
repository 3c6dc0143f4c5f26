import { describe, expect, it } from 'vitest'
import { createSeededRandom } from '../../src/kit/random/seeded-random.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import {
  createStrictUpstream,
  type StrictUpstream,
} from '../support/long-conversation/create-strict-upstream.ts'
import {
  type CallerKind,
  type ChannelName,
  type ChannelSetting,
  channelSettings,
  createAgent,
} from '../support/long-conversation/hold-conversation.ts'
import { restrictToConversationChannels } from '../support/long-conversation/plan-conversation.ts'
import { type PlayedTurn, playConversation } from '../support/long-conversation/play-conversation.ts'
import { openScriptedUpstream } from '../support/scripted-upstream.ts'
import { startGateway } from '../support/start-gateway.ts'
import { needsOneProcess } from '../support/topology/needs.ts'

const TURNS = 24
const names = ['first', 'second'] as const
type Name = (typeof names)[number]

/** Every few turns another channel is asked, as when a user changes the model or a channel fails. */
function whoseTurn(turn: number): Name {
  return Math.floor(turn / 4) % 2 === 0 ? 'first' : 'second'
}

interface Hands {
  readonly caller: CallerKind
  readonly first: ChannelName
  readonly second: ChannelName
  readonly isStream: boolean
}

/** One conversation that two accounts of two providers take turns in. */
async function holdInTurns({ caller, isStream, ...channels }: Hands) {
  const plan = restrictToConversationChannels(createSeededRandom(11), TURNS)
  const position = { turn: 0 }
  await using cleanup = new AsyncDisposableStack()
  const upstreams: Partial<Record<Name, StrictUpstream>> = {}
  const texts = []
  for (const name of names) {
    const setting: ChannelSetting = channelSettings[channels[name]]
    const { kind, format, provider, model } = setting
    const upstream = createStrictUpstream({ kind, plan, position, accountName: name })
    upstreams[name] = upstream
    const { origin } = cleanup.use(await openScriptedUpstream(upstream.script))
    texts.push({
      name,
      format,
      origin,
      models: { [name]: model },
      ...(provider === undefined ? {} : { provider }),
    })
  }
  const { url } = cleanup.use(await startGateway(channelYaml(...texts)))
  const agent = createAgent[caller]({
    url,
    chooseStream: () => isStream,
    chooseModel: () => whoseTurn(position.turn),
  })
  const played: PlayedTurn[] = []
  const failure = await playConversation(agent, plan, played).then(() => undefined, String)
  const both = names.map((name) => upstreams[name])
  return { plan, played, failure, upstreams: both.filter((upstream) => upstream !== undefined) }
}

const conversations: readonly Omit<Hands, 'isStream'>[] = [
  { caller: 'messages', first: 'messages with a budget', second: 'responses' },
  { caller: 'messages', first: 'responses', second: 'chat with reasoning details' },
  { caller: 'messages', first: 'responses', second: 'responses' },
  { caller: 'chat', first: 'messages with a budget', second: 'messages with a budget' },
  { caller: 'chat', first: 'chat with reasoning details', second: 'messages, adaptive' },
  { caller: 'chat', first: 'messages, adaptive', second: 'responses' },
  {
    caller: 'chat that forgets reasoning',
    first: 'messages with a budget',
    second: 'messages with a budget',
  },
  { caller: 'chat that forgets reasoning', first: 'responses', second: 'messages, adaptive' },
  { caller: 'responses', first: 'responses', second: 'messages with a budget' },
  { caller: 'responses without ids', first: 'responses', second: 'chat' },
  { caller: 'responses', first: 'messages, adaptive', second: 'messages, adaptive' },
  { caller: 'gemini', first: 'gemini', second: 'messages with a budget' },
  { caller: 'gemini', first: 'responses', second: 'gemini' },
  { caller: 'messages', first: 'chat with reasoning content', second: 'messages with a budget' },
  { caller: 'messages', first: 'gemini', second: 'converse' },
  { caller: 'messages', first: 'messages with a budget', second: 'converse' },
  { caller: 'chat', first: 'gemini', second: 'gemini' },
  { caller: 'chat that forgets reasoning', first: 'converse', second: 'gemini' },
  { caller: 'responses', first: 'converse', second: 'cohere' },
]

describe.each(conversations.map((hands, index) => ({ ...hands, isStream: index % 2 === 0 })))(
  'a conversation by a client of $caller that alternates between $first and $second, streamed: $isStream',
  (hands) => {
    it('is accepted by both, each with only its own proofs of reasoning', async () => {
      if (hands.caller === 'chat that forgets reasoning')
        needsOneProcess('another process learns of the reasoning a moment later')
      const { plan, played, failure, upstreams } = await holdInTurns(hands)
      expect(upstreams.flatMap(({ refusals }) => refusals)).toEqual([])
      expect(failure).toBeUndefined()
      expect(played.flatMap(({ wrong }) => wrong)).toEqual([])
      for (const { taken } of upstreams) {
        expect(taken.length).toBeGreaterThan(TURNS / 3)
        const last = taken.at(-1)
        const wanted = taken
          .filter(
            ({ turn }) => hands.caller !== 'chat that forgets reasoning' || plan[turn]?.results.length !== 0,
          )
          .filter(({ turn }) => turn < (last?.turn ?? 0))
          .flatMap(({ proved }) => proved)
        expect(last?.request.proofs).toEqual(wanted)
      }
    })
  },
)

describe('reasoning that another account signed', () => {
  it('is reported as lost instead of sent', async () => {
    const { played } = await holdInTurns({
      caller: 'chat',
      first: 'messages, adaptive',
      second: 'responses',
      isStream: false,
    })
    expect(played[4]?.losses).toMatch(/thinking-signature=dropped/)
    expect(played[3]?.losses).not.toMatch(/thinking(-signature)?=/)
  })
})
