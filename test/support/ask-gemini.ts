import { GoogleGenAI } from '@google/genai'
import type { Ask } from './ask-with-clients.ts'
import { readAnswer } from './judge.ts'
import { testKey } from './start-gateway.ts'

/** Asks as the official client of the Gemini format does, in front of the gateway at this address. */
export function askGemini(url: string): Ask {
  const client = new GoogleGenAI({ apiKey: testKey, httpOptions: { baseUrl: url } })
  const judge = (answer: object) =>
    readAnswer({ format: 'gemini', body: JSON.stringify(answer), isStream: false })
  return async (model, isStream) => {
    const request = { model, contents: 'Hi' }
    if (!isStream) return judge(await client.models.generateContent(request))
    const chunks: object[] = []
    for await (const chunk of await client.models.generateContentStream(request)) chunks.push(chunk)
    return judge(chunks)
  }
}
