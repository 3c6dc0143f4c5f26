import { CohereClient, CohereClientV2 } from 'cohere-ai'
import { documents, expectThat, type MediaClient, query, RANKING_MODEL } from './media-client.ts'

const client: MediaClient = {
  tasks: {
    async rerank({ gatewayUrl, key }) {
      const cohere = new CohereClient({ token: key, environment: gatewayUrl })
      const asked = { query, documents, model: RANKING_MODEL, topN: 2, returnDocuments: true }
      const { results } = await cohere.rerank(asked)
      expectThat(results.length === 2, 'two of three', results)
      expectThat(results[0]?.index === 1, 'the document of the query first', results)
      expectThat(results[0]?.document?.text === documents[1], 'the text of the document', results)
    },
    async rerankV2({ gatewayUrl, key }) {
      const cohere = new CohereClientV2({ token: key, environment: gatewayUrl })
      const { results } = await cohere.rerank({ query, documents, model: RANKING_MODEL, topN: 2 })
      expectThat(results.length === 2, 'two of three', results)
      expectThat(results[0]?.index === 1, 'the document of the query first', results)
      expectThat(typeof results[0]?.relevanceScore === 'number', 'a score', results)
    },
  },
}
export default client
