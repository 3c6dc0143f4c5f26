import { type Content, type GenerateContentParameters, GoogleGenAI, type Part } from '@google/genai'
import { testKey } from '../start-gateway.ts'
import type { Agent, AgentTerms } from './agent.ts'
import { imageData, toolNames } from './plan-conversation.ts'

const functionDeclarations = toolNames.map((name) => ({
  name,
  parametersJsonSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}))
const image: Part = { inlineData: { mimeType: 'image/png', data: imageData } }

/** Google's own client: parts go back unchanged, pieces of one text joined, as gemini-cli does it. */
export function createGeminiAgent({ url, chooseModel, chooseStream }: AgentTerms): Agent {
  const client = new GoogleGenAI({ apiKey: testKey, httpOptions: { baseUrl: url } })
  const contents: Content[] = []
  const names = new Map<string, string>()
  return {
    hear({ text, hasImage }) {
      contents.push({ role: 'user', parts: hasImage ? [{ text }, image] : [{ text }] })
    },
    async ask() {
      const parameters: GenerateContentParameters = {
        model: chooseModel(),
        contents,
        config: {
          systemInstruction: 'Work with care.',
          tools: [{ functionDeclarations }],
          thinkingConfig: { includeThoughts: true },
        },
      }
      const { parts, losses } = chooseStream()
        ? await askStreamed(client, parameters)
        : await askWhole(client, parameters)
      contents.push({ role: 'model', parts })
      const calls = parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall]))
      for (const { id = '', name = '' } of calls) names.set(id, name)
      return {
        text: parts.map(({ text, thought }) => (thought === true ? '' : (text ?? ''))).join(''),
        calls: calls.map(({ id = '', name = '', args }) => ({ id, name, input: args })),
        losses,
      }
    },
    take(results) {
      const parts = results.map(({ callId, text, isError, hasImage }): Part => {
        const response = { [isError ? 'error' : 'output']: text }
        const media = hasImage ? { parts: [{ inlineData: { mimeType: 'image/png', data: imageData } }] } : {}
        return { functionResponse: { id: callId, name: names.get(callId) ?? '', response, ...media } }
      })
      contents.push({ role: 'user', parts })
    },
  }
}

interface Asked {
  readonly parts: Part[]
  readonly losses: string
}

async function askWhole(client: GoogleGenAI, parameters: GenerateContentParameters): Promise<Asked> {
  const answer = await client.models.generateContent(parameters)
  const losses = answer.sdkHttpResponse?.headers?.['x-headgate-loss'] ?? ''
  return { parts: [...(answer.candidates?.[0]?.content?.parts ?? [])], losses }
}

async function askStreamed(client: GoogleGenAI, parameters: GenerateContentParameters): Promise<Asked> {
  const parts: Part[] = []
  let losses = ''
  for await (const answer of await client.models.generateContentStream(parameters)) {
    losses = answer.sdkHttpResponse?.headers?.['x-headgate-loss'] ?? losses
    for (const part of answer.candidates?.[0]?.content?.parts ?? []) addPart(parts, part)
  }
  return { parts, losses }
}

/** A text goes on where neither its kind nor a signature parts it from the one before. */
function addPart(parts: Part[], part: Part): void {
  const last = parts.at(-1)
  const goesOn =
    last?.text !== undefined &&
    part.text !== undefined &&
    last.thought === part.thought &&
    last.thoughtSignature === undefined
  const text = (last?.text ?? '') + (part.text ?? '')
  if (goesOn) parts[parts.length - 1] = { ...last, ...part, text }
  else parts.push(part)
}
