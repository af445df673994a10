printf "a\r\nb\nc" >f
