import type { FindingCode } from './certification-contract.ts'

/** The findings as sentences; `{name}` stands for a detail. */
const sentences: Readonly<Record<FindingCode, string>> = {
  word_repeated: 'It repeated the word that it was given.',
  word_missing: 'It answered without the word that it was to repeat.',
  no_text: 'Its answer holds no text.',
  streamed: '{events} pieces came over {spread_ms} ms of {total_ms} ms, in order, to a proper end.',
  few_events: 'The answer came in {events} pieces: it is no stream.',
  buffered: 'All {events} pieces came within {spread_ms} ms of {total_ms} ms: the answer was held back.',
  result_used: 'It called the tool with arguments that fit, and answered from the result.',
  result_ignored: 'It called the tool, and answered without its result.',
  no_call: 'It called no tool although it was asked to.',
  other_tool: 'It called "{name}", which is not the tool that it was offered.',
  bad_arguments: 'Its arguments do not fit the schema: {arguments}',
  calls_together: 'It made {calls} calls in one answer, and accepted their results.',
  one_call: 'It made one call where two were asked for at once.',
  image_seen: 'It named both colours of the picture.',
  image_not_seen: 'It did not name the colours of the picture.',
  document_read: 'It named the code word of the document.',
  document_not_read: 'It did not name the code word of the document.',
  fits_schema: 'The answer fits the schema, which the question alone would not lead to.',
  not_json: 'The answer is not JSON: the schema had no effect.',
  other_shape: 'The answer is JSON of another shape than the schema demands.',
  reasoning_accepted: 'Signed or encrypted reasoning came, and was accepted in the next turn.',
  plain_reasoning_accepted:
    'Reasoning came as plain text without a signature, and the next turn was accepted.',
  reasoning_refused: 'Reasoning came, and was refused in the next turn ({code}): {message}',
  reasoning_hidden: '{tokens} tokens of reasoning are billed, and none of it is shown.',
  no_reasoning: 'It was asked to reason, and no reasoning came.',
  cache_read: 'The same prompt again: {read_tokens} of {input_tokens} tokens were read from the cache.',
  cache_not_read: 'The same prompt was sent {calls} times, and nothing was read from a cache.',
  no_usage: 'It reports no usage.',
  vectors_given: 'Each text became a vector of {dimensions} numbers.',
  vectors_broken: 'The vectors are not one for each text, empty, of unequal length, or no numbers.',
  vectors_alike: 'Two different texts became the same vector.',
  no_embeddings: 'The channel makes no vectors with this model: {message}',
  count_fits: '{counted} tokens were counted beforehand, {billed} are billed.',
  count_differs: '{counted} tokens were counted beforehand, but {billed} are billed.',
  usage_fits:
    'Reported and estimated: input {reported_input} and {estimated_input}, output {reported_output} and {estimated_output}. Streamed, the same input is {streamed_input}.',
  input_far: 'It reports {reported_input} tokens of input; by our estimate there are {estimated_input}.',
  output_far: 'It reports {reported_output} tokens of output; by our estimate there are {estimated_output}.',
  stream_differs: 'The same prompt is {reported_input} tokens of input whole, and {streamed_input} streamed.',
  first_token: 'The first token comes after {median_ms} ms, the median of {calls}.',
  no_endpoint: 'Nothing was sent: as Headgate knows this provider, it has no endpoint for it.',
  no_field:
    'Nothing was sent: as Headgate knows this provider and model, they have no field for it ({fields}).',
  other_answer: 'The answer is of another kind than was asked for.',
  refused: 'The request failed ({code}): {message}',
  unanswered: 'Nothing was observed, since the request was not answered ({code}): {message}',
  needs_chat: 'Nothing was sent, since the check "chat" did not show that the model answers.',
  over_cost: 'Nothing was sent, since it could cost more than the bound leaves.',
  cancelled: 'The certification was cancelled before.',
  interrupted: 'The process ended before.',
}

type Details = Readonly<Record<string, string | number>>

export function describeFinding(finding: FindingCode, details: Details): string {
  return sentences[finding].replaceAll(/\{(\w+)\}/g, (_whole, name: string) => String(details[name] ?? ''))
}
