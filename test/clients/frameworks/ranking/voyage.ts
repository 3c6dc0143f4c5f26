import { VoyageAIClient } from 'voyageai'
import { documents, expectThat, type MediaClient, query, RANKING_MODEL } from '../media/media-client.ts'

const client: MediaClient = {
  tasks: {
    async rerank({ gatewayUrl, key }) {
      const voyage = new VoyageAIClient({ apiKey: key, environment: `${gatewayUrl}/v1` })
      const asked = { query, documents, model: RANKING_MODEL, topK: 2 }
      const plain = await voyage.rerank(asked)
      expectThat(plain.data?.length === 2, 'two of three', plain)
      expectThat(plain.data?.[0]?.index === 1, 'the document of the query first', plain)
      expectThat(typeof plain.data?.[0]?.relevanceScore === 'number', 'a score', plain)
      expectThat((plain.usage?.totalTokens ?? 0) > 0, 'the tokens that were used', plain)
      const shown = await voyage.rerank({ ...asked, returnDocuments: true })
      expectThat(shown.data?.[0]?.document === documents[1], 'the text of the document', shown)
    },
  },
}
export default client
