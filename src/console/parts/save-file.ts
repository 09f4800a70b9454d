// Saves data as a download.

export function saveFile(name: string, data: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(data)
  link.download = name
  link.click()
  // The browser reads the data after the click; it may be given up a little later.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
