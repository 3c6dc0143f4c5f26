import { deepEqual, equal } from 'node:assert/strict'
import { type Conversation, Refusal } from '../../../support/agent/conversation.ts'
import type { FrameworkScenario } from '../framework-scenario.ts'
import type { Played } from '../strict-upstream.ts'

const cities = ['K\u00f6ln "am Rhein"', '\u6771\u4eac \u{1f5fc}']
const final = 'Rain in the one, sun in the other.'
const weatherOf = (city: string) => `The weather of ${city} is {"wind": "\\${city.length} km/h"}.`

/** Two calls in one answer after some words; both results at once; then the answer. */
function play({ conversation }: { readonly conversation: Conversation }): Played {
  const { tools, rounds } = conversation
  if (tools[0]?.name !== 'look_up') throw new Refusal('the tool look_up is not offered')
  const round = rounds[0]
  if (round === undefined) {
    const calls = cities.map((city, index) => ({ id: `call_${index}`, name: 'look_up', input: { city } }))
    return { text: 'I look both up.', calls }
  }
  for (const { id, input } of round.calls) {
    const result = round.results.find(({ callId }) => callId === id)?.text
    if (!result?.includes(weatherOf(String(input['city']))))
      throw new Refusal(`${id} has the result ${result}`)
  }
  return { text: final }
}

function scenario(name: string, isStream: boolean): FrameworkScenario {
  return {
    name,
    async run({ open }) {
      await using bench = await open(play)
      const asked: string[] = []
      const lookUp = (city: string) => {
        asked.push(city)
        return weatherOf(city)
      }
      const answer = await bench.client.useTool('How is the weather?', { isStream, lookUp })
      deepEqual(asked, cities)
      // Some libraries give the words of every step.
      equal(answer.slice(-final.length), final)
      equal(bench.upstream.heard.length, 2, 'the model was not asked twice')
    },
  }
}

export const tools = scenario('tools', false)
export const streamedTools = scenario('streamed tools', true)
