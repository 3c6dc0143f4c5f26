import { describe, expect, it } from 'vitest'
import { needsOneProcess } from '../topology/needs.ts'
import { findFaults } from './find-faults.ts'
import {
  type CallerKind,
  type ChannelName,
  canHold,
  channelNames,
  channelSettings,
  holdConversation,
} from './hold-conversation.ts'

const TURNS = 20

/**
 * A conversation by each client on every channel. Of 50 turns, streamed alone and whole alone, with other conversations
 * and the pairs that are left out here: `test/long/long-conversations.ts`. The rules by which the upstreams refuse:
 * `test/support/strict-upstream/rules.md`.
 */
export function describeConversations(...callers: readonly CallerKind[]): void {
  describe.each(callers)('a conversation of 20 turns, every other streamed, by a client of %s', (caller) => {
    const channels = channelNames.filter((channel) => canHold(caller, channel) && isTelling(caller, channel))
    it.each(channels)('is taken, turn by turn, by a strict upstream of %s', async (channel) => {
      if (caller === 'chat that forgets reasoning')
        needsOneProcess('another process learns of the reasoning a moment later')
      const held = await holdConversation({
        caller,
        channel,
        streams: 'every other',
        seed: 7,
        turnCount: TURNS,
      })
      expect(findFaults(held).slice(0, 5)).toEqual([])
    })
  })
}

const proving: ReadonlySet<string> = new Set(['messages', 'responses', 'gemini', 'converse'])

/** Whether an omission by a client matters: only where the channel proves its reasoning, or gave the IDs. */
function isTelling(caller: CallerKind, channel: ChannelName): boolean {
  const { kind } = channelSettings[channel]
  if (caller === 'chat that forgets reasoning') return proving.has(kind)
  return caller !== 'responses without ids' || kind === 'responses'
}
