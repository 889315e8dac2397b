" Kernels of GRAPE-DR
autocmd BufRead,BufNewFile *.vsm setfiletype gdr
