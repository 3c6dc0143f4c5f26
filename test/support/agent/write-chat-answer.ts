import type { AgentAnswer, AgentTurn, AgentUsage, Conversation } from './conversation.ts'
import { splitText } from './split-text.ts'

const head = { created: 1_790_000_000, system_fingerprint: 'fp_agent' }

/** A whole reply in the chat format. */
export function writeChatReply(answer: AgentAnswer, { model }: Conversation): object {
  const toolCalls = answer.calls.map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))
  const message = {
    role: 'assistant',
    content: answer.text === '' ? null : answer.text,
    refusal: null,
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  }
  const choice = { index: 0, message, logprobs: null, finish_reason: finishReason(answer) }
  return {
    ...head,
    id: `chatcmpl-${answer.id}`,
    object: 'chat.completion',
    model,
    choices: [choice],
    usage: writeUsage(answer.usage),
  }
}

/** The same as the frames of a stream: calls opened one after the other, their arguments in pieces. */
export function writeChatFrames(answer: AgentAnswer, conversation: Conversation): string[] {
  const { model, wantsStreamUsage } = conversation
  const chunk = (more: object) =>
    `data: ${JSON.stringify({ ...head, id: `chatcmpl-${answer.id}`, object: 'chat.completion.chunk', model, ...more })}\n\n`
  const usageField = wantsStreamUsage ? { usage: null } : {}
  const delta = (value: object, finish: string | null = null) =>
    chunk({ choices: [{ index: 0, delta: value, logprobs: null, finish_reason: finish }], ...usageField })
  const calls = answer.calls.flatMap(({ id, name, input }, index) => [
    delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
    ...splitText(JSON.stringify(input)).map((piece) =>
      delta({ tool_calls: [{ index, function: { arguments: piece } }] }),
    ),
  ])
  return [
    delta({ role: 'assistant', content: answer.text === '' ? null : '', refusal: null }),
    ...splitText(answer.text).map((content) => delta({ content })),
    ...calls,
    delta({}, finishReason(answer)),
    ...(wantsStreamUsage ? [chunk({ choices: [], usage: writeUsage(answer.usage) })] : []),
    'data: [DONE]\n\n',
  ]
}

function finishReason({ calls }: AgentTurn): string {
  return calls.length === 0 ? 'stop' : 'tool_calls'
}

/** The format counts what came from a cache as a part of the prompt, and has no word for writing to it. */
function writeUsage({ freshInput, cacheRead, cacheWrite, output }: AgentUsage): object {
  const prompt = freshInput + cacheRead + cacheWrite
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    prompt_tokens_details: { cached_tokens: cacheRead, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  }
}
