/** A classic script beside the page, loaded once. */
const scripts = new Map<string, Promise<void>>()

export const loadScript = (file: string): Promise<void> => {
  const before = scripts.get(file)
  if (before !== undefined) return before
  const loading = new Promise<void>((resolve, reject) => {
    const script = document.createElement('script')
    script.src = file
    script.onload = () => {
      resolve()
    }
    script.onerror = () => {
      scripts.delete(file)
      reject(new Error(`${file}: could not be loaded`))
    }
    document.head.append(script)
  })
  scripts.set(file, loading)
  return loading
}
