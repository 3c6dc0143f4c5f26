// Conversations of many turns through every pair of a client and a channel, streamed and whole, each with other words
// and other tools. The upstreams refuse what breaks a rule of test/support/strict-upstream/rules.md. A seed that failed
// is given again as the first argument.
import { findFaults } from '../support/long-conversation/find-faults.ts'
import {
  callerKinds,
  canHold,
  channelNames,
  holdConversation,
} from '../support/long-conversation/hold-conversation.ts'

const TURNS = 50
const CONVERSATIONS_OF_PAIR = 10
const given = process.argv[2]
const firstSeed = given === undefined ? Math.floor(Math.random() * 1_000_000) : Number(given)

let held = 0
let turns = 0
let faulty = 0
for (const caller of callerKinds) {
  for (const channel of channelNames.filter((name) => canHold(caller, name))) {
    for (let index = 0; index < CONVERSATIONS_OF_PAIR; index += 1) {
      const streams = index % 2 === 0 ? 'all' : 'none'
      const seed = firstSeed + index
      const conversation = await holdConversation({ caller, channel, streams, seed, turnCount: TURNS })
      const faults = findFaults(conversation)
      held += 1
      turns += conversation.upstream.taken.length
      if (faults.length === 0) continue
      faulty += 1
      process.stdout.write(`${caller} on ${channel}, seed ${seed}, streamed ${streams}: ${faults[0]}\n`)
    }
  }
}
process.stdout.write(
  `long conversations, seed ${firstSeed}: ${held} held, ${turns} turns taken by strict upstreams, ${faulty} with faults\n`,
)
if (faulty > 0) process.exitCode = 1
