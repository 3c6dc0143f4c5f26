import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { type Language, rememberLanguage, speak } from '../language/language.ts'
import { type ShellActions, ShellContext } from '../shell/shell-context.ts'
import { Toasts } from '../ui/toasts.tsx'
import { router } from './router.tsx'

const MAX_RETRIES = 2

/** Whether a retry may help. Some errors of the gateway would be the same again. */
function isWorthRetrying(count: number, error: unknown): boolean {
  const isLasting = error instanceof ApiError && error.status >= 400 && error.status < 500
  return count < MAX_RETRIES && !isLasting
}

const client = new QueryClient({
  defaultOptions: { queries: { retry: isWorthRetrying, staleTime: 5_000, refetchOnWindowFocus: true } },
})

/** The root of the console. It is rendered again when the language changes. */
export function App() {
  const [overlay, setOverlay] = useState<ShellActions['overlay']>()
  const [drawn, setDrawn] = useState(0)
  const changeLanguage = useCallback(async (language: Language) => {
    rememberLanguage(language)
    await speak(language)
    setDrawn((count) => count + 1)
  }, [])
  const actions = useMemo(
    () => ({
      openPalette: () => setOverlay('palette'),
      openShortcuts: () => setOverlay('shortcuts'),
      closeOverlay: () => setOverlay(undefined),
      changeLanguage: (language: Language) => void changeLanguage(language),
      overlay,
    }),
    [changeLanguage, overlay],
  )
  return (
    <QueryClientProvider client={client}>
      <ShellContext value={actions}>
        <RouterProvider key={drawn} router={router} />
        <Toasts />
      </ShellContext>
    </QueryClientProvider>
  )
}
