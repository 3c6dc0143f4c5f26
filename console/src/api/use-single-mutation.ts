import { type UseMutationOptions, useMutation } from '@tanstack/react-query'
import { useCallback, useRef } from 'react'

/** A mutation of which one runs at a time: the second click of a double click comes before the button shows the first. */
export function useSingleMutation<Data, Input = void>(options: UseMutationOptions<Data, Error, Input>) {
  const { mutate: send, isPending, data } = useMutation(options)
  const isRunning = useRef(false)
  const mutate = useCallback(
    (input: Input) => {
      if (isRunning.current) return
      isRunning.current = true
      send(input, {
        onSettled() {
          isRunning.current = false
        },
      })
    },
    [send],
  )
  return { mutate, isPending, data }
}
