import { describe, expect, it } from 'vitest'
import { findFaults } from '../support/long-conversation/find-faults.ts'
import {
  callerKinds,
  channelNames,
  holdConversation,
} from '../support/long-conversation/hold-conversation.ts'

const TURNS = 50

// The rules by which the upstreams refuse: test/support/strict-upstream/rules.md.
describe.each(callerKinds)('a conversation of 50 turns by a client of %s', (caller) => {
  it.each(
    channelNames.flatMap((channel) => [
      { channel, isStream: false, form: 'whole' },
      { channel, isStream: true, form: 'streamed' },
    ]),
  )('is taken, turn by turn, by a strict upstream of $channel, $form', async ({ channel, isStream }) => {
    const held = await holdConversation({ caller, channel, isStream, seed: 7, turnCount: TURNS })
    expect(findFaults(held).slice(0, 5)).toEqual([])
  })
})
