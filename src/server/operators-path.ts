/** Whether a path belongs to operators, even if no route serves it. */
export function isOperatorsPath(path: string): boolean {
  return /^\/(?:admin|console|metrics)(?:\/|$)/.test(path)
}
