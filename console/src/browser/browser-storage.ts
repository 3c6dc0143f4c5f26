/**
 * The memory of this browser. A browser may let a page store nothing, and then every visit begins anew. No secret is
 * ever written here.
 */
export interface BrowserStorage {
  read(name: string): string | undefined
  write(name: string, value: string): void
  remove(name: string): void
}

function createBrowserStorage(open: () => Storage): BrowserStorage {
  const attempt = <Result>(use: (storage: Storage) => Result): Result | undefined => {
    try {
      return use(open())
    } catch {
      // It is switched off, or full: what it would have remembered is forgotten.
      return undefined
    }
  }
  return {
    read: (name) => attempt((storage) => storage.getItem(`headgate.${name}`)) ?? undefined,
    write: (name, value) => void attempt((storage) => storage.setItem(`headgate.${name}`, value)),
    remove: (name) => void attempt((storage) => storage.removeItem(`headgate.${name}`)),
  }
}

/** Remembers from visit to visit: theme, language, what was folded away. */
export const lastingStorage = createBrowserStorage(() => window.localStorage)

/** Remembers until the tab is closed: what was typed into a form. */
export const tabStorage = createBrowserStorage(() => window.sessionStorage)
