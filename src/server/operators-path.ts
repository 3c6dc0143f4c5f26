/** Whether a path that no route serves belongs to operators. */
export function isOperatorsPath(path: string): boolean {
  return /^\/(?:admin|console|metrics)(?:\/|$)/.test(path)
}
