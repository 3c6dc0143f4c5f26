/** A model's name as OpenAI lists it: without the mark of a fine-tuned one, and `gpt-35` of Azure as `gpt-3.5`. */
export function openaiModelName(model: string): string {
  return model.replace(/^ft:/, '').replace(/^gpt-35(?=-|$)/, 'gpt-3.5')
}
