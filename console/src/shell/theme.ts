import { useSyncExternalStore } from 'react'
import { lastingStorage } from '../browser/browser-storage.ts'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const listeners = new Set<() => void>()

function readTheme(): Theme {
  const stored = lastingStorage.read('theme')
  return themes.find((theme) => theme === stored) ?? 'system'
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') {
    lastingStorage.remove('theme')
    delete document.documentElement.dataset['theme']
  } else {
    lastingStorage.write('theme', theme)
    document.documentElement.dataset['theme'] = theme
  }
  for (const listener of listeners) listener()
}

export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, readTheme)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
