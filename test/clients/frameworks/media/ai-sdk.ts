import { createCohere } from '@ai-sdk/cohere'
import { createOpenAI } from '@ai-sdk/openai'
import {
  generateImage,
  experimental_generateSpeech as generateSpeech,
  rerank,
  experimental_transcribe as transcribe,
} from 'ai'
import type { Connection } from '../framework.ts'
import { documents, expectThat, type MediaClient, query, RANKING_MODEL } from './media-client.ts'

const client: MediaClient = {
  tasks: {
    async generateImage(connection) {
      const { images } = await generateImage({
        model: openaiOf(connection).image(connection.model),
        prompt: 'A dot.',
        n: 2,
      })
      expectThat(images.length === 2, 'two images', images.length)
      for (const image of images) expectThat(image.mediaType === 'image/png', 'a PNG', image.mediaType)
    },
    async experimental_generateSpeech(connection) {
      const model = openaiOf(connection).speech(connection.model)
      const { audio } = await generateSpeech({ model, text: 'Hello there.', outputFormat: 'wav' })
      expectThat(audio.uint8Array.length > 1_000, 'sound', audio.uint8Array.length)
    },
    async experimental_transcribe(connection) {
      const openai = openaiOf(connection)
      const spoken = await generateSpeech({
        model: openai.speech(connection.model),
        text: 'Hello there.',
        outputFormat: 'wav',
      })
      const model = openai.transcription(connection.model)
      const { text } = await transcribe({ model, audio: spoken.audio.uint8Array })
      expectThat(text !== '', 'a transcript', text)
    },
    async rerank(connection) {
      const cohere = createCohere({ baseURL: `${connection.gatewayUrl}/v2`, apiKey: connection.key })
      const model = cohere.reranking(RANKING_MODEL)
      const { ranking } = await rerank({ model, documents, query, topN: 2 })
      expectThat(ranking.length === 2, 'two of three', ranking)
      expectThat(ranking[0]?.originalIndex === 1, 'the document of the query first', ranking)
    },
  },
}
export default client

function openaiOf({ gatewayUrl, key }: Connection) {
  return createOpenAI({ baseURL: `${gatewayUrl}/v1`, apiKey: key })
}
