/** The tabs of this browser that show the console, which share one session. */
const tabs = new BroadcastChannel('headgate.session')

/** Says in the other tabs that the session is of another user or has ended. */
export function announceUser(): void {
  tabs.postMessage('user')
}

/** Calls `onUser` when another tab announces a user. Returns what ends this. */
export function watchOtherTabs(onUser: () => void): () => void {
  tabs.addEventListener('message', onUser)
  return () => tabs.removeEventListener('message', onUser)
}
