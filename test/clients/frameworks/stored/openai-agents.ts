import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents'
import OpenAI from 'openai'
import { z } from 'zod'
import { lookUpDescription, question, type StoredClient } from './stored-client.ts'

/** The agents library with its default, the Responses API; the run goes on from the last response. */
const client: StoredClient = {
  async ask({ baseUrl, key, fetch, isStream, lookUp }) {
    const openAIClient = new OpenAI({ baseURL: baseUrl, apiKey: key, fetch, maxRetries: 0 })
    const runner = new Runner({
      modelProvider: new OpenAIProvider({ openAIClient }),
      tracingDisabled: true,
    })
    const look_up = tool({
      name: 'look_up',
      description: lookUpDescription,
      parameters: z.object({ city: z.string() }),
      execute: ({ city }) => lookUp(city),
    })
    const agent = new Agent({ name: 'weather', model: 'm', instructions: 'Look up.', tools: [look_up] })
    if (!isStream) return String((await runner.run(agent, question)).finalOutput)
    const result = await runner.run(agent, question, { stream: true })
    await result.completed
    const first = String(result.finalOutput)
    // A second question goes on from the stored response alone.
    if (result.lastResponseId === undefined) throw new Error('the run names no response')
    const next = await runner.run(agent, 'Again?', { previousResponseId: result.lastResponseId })
    return first === String(next.finalOutput) ? first : `${first} | ${next.finalOutput}`
  },
}
export default client
