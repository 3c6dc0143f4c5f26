import { CohereRerank } from '@langchain/cohere'
import { Document } from '@langchain/core/documents'
import { CohereClient } from 'cohere-ai'
import { documents, expectThat, type MediaClient, query, RANKING_MODEL } from './media-client.ts'

const client: MediaClient = {
  tasks: {
    async compressDocuments({ gatewayUrl, key }) {
      const reranker = new CohereRerank({
        client: new CohereClient({ token: key, environment: gatewayUrl }),
        model: RANKING_MODEL,
        topN: 2,
      })
      const found = documents.map((pageContent) => new Document({ pageContent }))
      const kept = await reranker.compressDocuments(found, query)
      expectThat(kept.length === 2, 'two of three', kept)
      expectThat(kept[0]?.pageContent === documents[1], 'the document of the query first', kept)
      expectThat(typeof kept[0]?.metadata['relevanceScore'] === 'number', 'a score', kept[0]?.metadata)
    },
  },
}
export default client
