/** Whether a model is one of Anthropic's, whichever provider serves it. */
export function isClaude(model: string): boolean {
  return /claude/i.test(model)
}
