import { describe, expect, it } from 'vitest'
import { findFaults } from '../support/long-conversation/find-faults.ts'
import {
  callerKinds,
  canHold,
  channelNames,
  holdConversation,
} from '../support/long-conversation/hold-conversation.ts'

const TURNS = 50

// The rules by which the upstreams refuse: test/support/strict-upstream/rules.md. Streamed alone and whole alone, with
// other conversations: test/long/long-conversations.ts.
describe.each(callerKinds)(
  'a conversation of 50 turns, every other streamed, by a client of %s',
  (caller) => {
    it.each(channelNames.filter((channel) => canHold(caller, channel)))(
      'is taken, turn by turn, by a strict upstream of %s',
      async (channel) => {
        const held = await holdConversation({
          caller,
          channel,
          streams: 'every other',
          seed: 7,
          turnCount: TURNS,
        })
        expect(findFaults(held).slice(0, 5)).toEqual([])
      },
    )
  },
)
